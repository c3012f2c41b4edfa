"""Crops of a few lines as they are cut out of real pages: several fonts in a line, marks, justified or ragged, rows of
tables, on tinted ground, with slivers of the lines above and below.

The text is plain: italics, bold and typewriter leave no mark, small capitals are capitals, raised and lowered
characters are plain ones, ligatures are letters, cells of a row are divided by a space, leaders are left out. A hyphen
that divides a word between two lines is left out, the one at the end of the crop is read. Headings have their `## `,
items their `- `.
"""

from __future__ import annotations

import random
from dataclasses import replace

from training import listings, people, phrases
from training.blocks import choose_style, letters
from training.crops import make_crop
from training.fonts import faces
from training.press import Look, Press
from training.prose import Writer
from training.render import Sample, Sheet, advances, degrade
from training.templates import drawn
from training.typeset import Column
from training.words import Word, plain

KINDS = {
    "prose": 4.0,
    "dressed": 5.0,
    "dense": 2.0,
    "reasoning": 3.0,
    "abroad": 3.0,
    "reference": 1.5,
    "row": 4.0,
    "table": 3.0,
    "figures": 0.8,
    "footnote": 0.7,
    "authors": 2.5,
    "heading": 2.5,
    "caption": 0.8,
    "item": 0.9,
    "code": 3.5,
    "contents": 0.4,
    "capitals": 0.4,
}
ASCENT, DESCENT, LOWER = 0.76, 0.24, 0.45  # of the font size; the last is the height of an x
ONE_LINE = ("row", "heading", "contents")
SHADED = {"row": 0.3, "heading": 0.2}  # shares on tinted or dark ground
NARROW = 256  # pixels: up to this width most crops are cells of tables, page numbers and the like


def words_of(kind: str, writer: Writer, length: int) -> list[Word]:
    """The words of a kind of running text, about `length` characters of them."""
    rng = writer.rng
    if kind == "abroad":
        return plain(writer.abroad(length))
    if kind == "capitals":
        return plain(writer.passage(length).upper(), rng.choice(("", "b", "c")))
    if kind == "figures":
        return [word for _ in range(length // 6 + 1) for word in phrases.quantity(rng)]
    if kind == "code":
        return listings.listing(rng, length)
    if kind == "authors":
        return people.authors(writer, length)
    if kind == "reasoning" or (kind == "item" and writer.rng.random() < 0.3):
        return phrases.reasoning(writer, length)
    if kind == "footnote":
        return phrases.footnote(writer, length)
    if kind == "caption":
        return phrases.caption(writer, length)
    if kind == "reference":
        words = [word for _ in range(length // 100 + 1) for word in people.reference(writer)]
        return words[rng.randrange(12) :] if rng.random() < 0.3 else words
    return phrases.dressed(writer, length, {"prose": 0.2, "dense": 3.0}.get(kind, 1.0))


def choose_look(rng: random.Random, unseen: bool) -> Look:
    """Body size 17-28 px; the pitch as in `choose_style`."""
    style = choose_style(rng, unseen, mono=rng.random() < 0.3)
    if rng.random() < 0.3:
        style = replace(style, size=rng.uniform(17.5, 23.0))
    elif rng.random() < 0.4:
        style = replace(style, size=min(rng.uniform(25.0, 29.0), style.pitch - 4.5))
    monos = [face for face in faces(unseen) if face.family.kind == "mono"] or [style.face]
    return Look(
        style,
        rng.choices(monos, [face.family.weight for face in monos])[0],
        rng.choice((0.0, 0.05, 0.08)),
        rng.random() < 0.5,
        rng.random() < 0.4,
        rng.random() < 0.5,
        rng.choice((0.66, rng.uniform(0.55, 0.75))),
        rng.choice((0.36, rng.uniform(0.28, 0.5))),
        old=rng.random() < 0.05,
    )


def make_lines(
    width: int,
    height: int,
    seed: int,
    *,
    kind: str | None = None,
    unseen: bool = False,
    evaluation: bool = False,
    noise: float = 0.3,
    rows: int = 0,
) -> Sample:
    """One crop of `width` x `height` pixels, both multiples of 32, of at most `rows` lines (0 for as many as stand in
    it, or some fewer)."""
    rng = random.Random(seed)
    look = choose_look(rng, unseen)
    style, sheet, writer = look.style, Sheet(width, height), Writer(rng, evaluation)
    size, pitch = style.size, style.pitch
    most = 1 + max(0, int((height - 1 - (ASCENT + DESCENT) * size) / pitch))
    left_out = ("table",) if most < 3 else ONE_LINE
    pool = {name: weight for name, weight in KINDS.items() if name not in left_out}
    if kind is None and width <= NARROW and rng.random() < 0.75:
        kind = "cell"
    kind = kind or rng.choices(list(pool), list(pool.values()))[0]
    if kind == "table":
        sheet.document.close()
        return make_crop(width, height, seed, kind=kind, unseen=unseen, evaluation=evaluation, noise=noise)
    if kind == "code" and rng.random() < 0.85:
        style = replace(style, face=look.mono, size=0.95 * size)
        look = replace(look, style=style, kern=0.0, ligatures=False, hyphens=False, justify=False)
    press = Press(sheet, look, rng)
    drawn = rng.choice((1, most, most, max(1, most - 1), rng.randint(1, most)))
    wanted = 1 if kind in (*ONE_LINE, "cell") else min(rows, most) or drawn
    slivers = rng.random() < 0.4
    extent = (wanted - 1) * pitch + (ASCENT + DESCENT) * size
    free = height - 1 - extent
    shift = rng.uniform(0, 7)
    part = (0.0, float(height))  # what was cut out of the page; around it is white
    if rng.random() < 0.5:
        shift, margin = free / 2, rng.uniform(0.5, 9)
        part = (max(0.0, shift - margin + rng.uniform(-2, 0)), shift + extent + margin)
    elif slivers and rng.random() < 0.6:
        shift = pitch + rng.uniform(-0.2, 0.16) * size - ASCENT * size
    baseline = ASCENT * size + min(max(0.0, free), shift)
    left = rng.uniform(1, 12) if rng.random() < 0.85 else rng.uniform(0, min(90, width / 4))
    right = width - (rng.uniform(1, 12) if rng.random() < 0.8 else rng.uniform(1, width / 3))
    column = Column(left, right, 0, height)
    done = wanted
    if rng.random() < SHADED.get(kind, 0.08):
        press.look = look = _shaded(press, column, baseline, baseline + (wanted - 1) * pitch)
    if kind == "row":
        fewest = 2 if width < 400 else 3
        press.row(phrases.cells(writer, rng.randint(fewest, max(fewest, width // 95))), column, baseline)
    elif kind == "cell":
        room = column.right - column.left
        drawn_cells = (phrases.cell(writer) for _ in range(20))
        fitting = [words for words in drawn_cells if 0 < press.extent(press.known(words)) <= room]
        words = press.known(fitting[0] if fitting else plain(str(rng.randint(0, 99))))
        press.line(words, column.left + rng.choice((0.0, 0.0, 0.5, 1.0)) * (room - press.extent(words)), baseline)
    elif kind == "contents":
        _contents(press, column, baseline)
    elif kind == "heading":
        _heading(press, writer, column, baseline)
    else:
        indent, hang = (rng.choice((0.8, 1.0, 1.6)) * size if rng.random() < 0.2 else 0.0), 0.0
        if kind == "reference" and rng.random() < 0.6:
            indent, hang = 0.0, rng.uniform(0.8, 1.8) * size
        if kind == "item":
            hang = indent = _label(press, column.left, baseline) - column.left + rng.uniform(0.3, 1.2) * size
        length = letters(style, column, wanted * (1.3 if rng.random() < 0.8 else rng.uniform(0.3, 1.0)))
        align = "left" if rng.random() < 0.95 else rng.choice(("centre", "right"))
        words = words_of(kind, writer, length) or plain("Notes")
        done = press.block(words, column, baseline, wanted, indent, hang, align, "\n" if kind == "code" else " ")
    if slivers:
        cut = _slivers(press, writer, column, baseline, baseline + (done - 1) * pitch)
        part = (part[0], min(part[1], cut))
    sample = sheet.finish()
    scan = rng.random() < noise
    if scan:
        sample = degrade(sample, rng)
    pixels = sample.pixels.copy()
    pixels[: round(part[0])] = 255
    pixels[round(part[1]) :] = 255
    if scan and rng.random() < 0.5:
        pixels[:, int(right) + rng.randint(4, 20) :] = 255
    return replace(sample, pixels=pixels)


def _slivers(press: Press, writer: Writer, column: Column, first: float, last: float) -> float:
    """Print the lines above and below, of which a crop shows the feet and the heads; the height from where on the crop
    is empty."""
    rng, style, height = press.rng, press.look.style, press.sheet.height
    size, pitch = style.size, style.pitch
    for baseline in (first - pitch, last + pitch):
        words = plain(writer.passage(letters(style, column, 1.0)))
        for line, _ in press.broken(words, column.right - column.left, 0.0, 1):
            if baseline <= 0.2 * size or baseline > last:
                press.line(line, column.left, baseline, read=False)
    low, high = last + DESCENT * size + 1, last + pitch - (LOWER + 0.03) * size
    return min(float(height), rng.uniform(low, max(low, high)))


def _shaded(press: Press, column: Column, first: float, last: float) -> Look:
    """Print a tint under the lines or under some cells, or a dark bar; the look with white print for the latter."""
    rng, sheet, size = press.rng, press.sheet, press.look.style.size
    top, bottom = first - ASCENT * size - rng.uniform(0, 8), last + DESCENT * size + rng.uniform(0, 8)
    if rng.random() < 0.3:
        tone = rng.uniform(0.0, 0.45)
        sheet.box(-2, top, sheet.width + 2, bottom, tone, tone)
        return replace(press.look, style=replace(press.look.style, grey=1.0))
    if rng.random() < 0.5:
        tone = rng.uniform(0.75, 0.97)
        sheet.box(-2, top - rng.choice((0, 40)), sheet.width + 2, bottom + rng.choice((0, 60)), tone, tone)
        return press.look
    x = column.left + rng.uniform(0, 0.5) * (column.right - column.left)
    step, gap = rng.uniform(60, 160), rng.choice((0.0, 0.0, 6.0))
    while x < column.right:
        tone = rng.uniform(0.35, 1.0)
        sheet.box(x, top, x + step - gap, bottom, tone, tone)
        x += step
    return press.look


def _label(press: Press, left: float, baseline: float) -> float:
    """The bullet or number before an item; where it ends."""
    rng = press.rng
    if rng.random() < 0.5:
        press.sheet.write("- ")
        bullets = press.known([[(bullet, "")] for bullet in "•••–-■▪●○◦*"])
        return press.word(rng.choice(bullets), left, baseline, read=False)
    label = drawn(rng, "«8«|9»«.|)»|(8)|«a|b|c|d»)|(«a|b|e|f»)|(ii)|iv.»")
    end = press.word([(label, "")], left, baseline)
    press.sheet.write(" ")
    return end


def _heading(press: Press, writer: Writer, column: Column, baseline: float) -> None:
    """A heading of one line, its number set off by a space or more."""
    rng, size = press.rng, press.look.style.size
    label, title = phrases.headline(writer)
    press.sheet.write("## ")
    if label and rng.random() < 0.6:
        end = press.line(label, column.left, baseline)
        press.sheet.write(" ")
        press.block(title, column, baseline, 1, indent=end - column.left + rng.uniform(0.4, 1.8) * size)
    else:
        align = rng.choice(("left", "left", "left", "centre"))
        press.block(label + title, column, baseline, 1, align=align)


def _contents(press: Press, column: Column, baseline: float) -> None:
    """A line of a table of contents: title, leader, page."""
    rng, look = press.rng, press.look
    writer = Writer(rng)
    page = [(str(rng.randint(1, 400)), "")]
    end = column.right - press.width(page)
    number = drawn(rng, "«|8|8.8|8.8.8|A.8|VI» ")
    title = plain(number + writer.phrase(1, 6))
    if rng.random() < 0.3:
        label, words = phrases.headline(writer)
        title = label + words
    x = column.left
    for line, _ in press.broken(title, (end - x) * 0.85, 0.0, 1):
        x = press.line(line, x, baseline)
    press.sheet.write(" ")
    step = rng.choice((1.0, 1.6, 2.2)) * advances(look.style.face.regular)["."] * look.style.size
    x += step
    while x + 1.5 * step < end:
        press.sheet.put(".", x, baseline, look.style.face.regular, look.style.size, look.style.grey, read=False)
        x += step
    press.word(page, end, baseline)
