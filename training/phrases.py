"""What stands in lines of real pages besides plain prose: italics, bold and small capitals, marks of reference,
quantities, ranges, addresses, code, citations, rows of tables. What follows a simple form is drawn from `templates`;
formulas are in `relations`, names and bibliographies in `people`.
"""

from __future__ import annotations

import random

from training import corpus, listings
from training.prose import UNITS, Writer
from training.relations import relation
from training.templates import ADDRESSES, ALONE, CAPTIONS, CITATIONS, MARKED, NUMBERS, QUANTITIES, drawn
from training.words import Piece, Word, plain

MARKS = "*†‡§¶"
NUMBERING = "«||||8«|9»|{few}|{few}|{few}.|{few}.8|8.{few}|8.8.8|IV.|A.|Chapter {few}|Appendix A:|§ {few}|(8)»"
QUOTES = ("“”", "‘’", "()", "«»", '""', "''", "„“", "[]")
_TEX: Word = [("T", "t"), ("E", "dt"), ("X", "t")]
LOGOS: tuple[Word, ...] = (_TEX, [("L", ""), ("A", "^t"), *_TEX], [("B", ""), ("IB", "c"), *_TEX])
LATIN = ("et al.", "in vitro", "in vivo", "e.g.", "i.e.", "cf.", "ibid.", "a priori", "per se", "vs.", "via", "sic")


def mark(rng: random.Random, letters: str = "") -> Piece:
    """What is attached to a word: a raised number or sign, in the word's `letters`."""
    template, style = rng.choice(MARKED)
    return drawn(rng, template), style + letters.replace("c", "")


def quantity(rng: random.Random) -> list[Word]:
    """Figures with their units, signs and brackets."""
    return plain(drawn(rng, rng.choice(QUANTITIES)))


def strewn(rng: random.Random, last: Word) -> tuple[Word, list[Word]]:
    """A word of running text, perhaps with something attached, and what may follow it."""
    kind = rng.choices(range(12), (7, 8, 4, 3, 2, 1, 4, 2, 1.5, 1, 5, 0.3))[0]
    if kind == 1:
        return [*last, mark(rng, last[-1][1])], []
    if kind == 9:
        return [*last, (rng.choice("—–-/") + rng.choice(corpus.words()), "")], []
    quotes = rng.choice(QUOTES)
    follow = {
        0: lambda: plain(drawn(rng, rng.choice(CITATIONS))),
        2: lambda: quantity(rng),
        3: lambda: relation(rng),
        4: lambda: plain(quotes[0] + rng.choice(corpus.words()) + quotes[1] + rng.choice(("", ",", "."))),
        5: lambda: plain(drawn(rng, rng.choice(ADDRESSES)), rng.choice(("", "m", "i"))),
        6: lambda: listings.piece(rng),
        7: lambda: plain(rng.choice(LATIN), rng.choice(("", "i"))),
        8: lambda: plain(rng.choice("–—&/-•…")),
        10: lambda: plain(drawn(rng, rng.choice(ALONE))),
        11: lambda: [rng.choice(LOGOS)],
    }
    return last, follow[kind]()


def dressed(writer: Writer, length: int, density: float = 1.0) -> list[Word]:
    """Running text of about `length` characters with the things of this module strewn in, every eighth word at a
    `density` of 1, and with runs of words in another style."""
    rng = writer.rng
    words: list[Word] = []
    emphasis = rng.choice(("i", "i", "b", "c", "bi", "m")) if rng.random() < 0.5 * density else ""
    run = 0
    for text in writer.passage(length).split():
        style = emphasis if run else ""
        word: Word = [(text.upper() if style == "c" else text, style)]
        follow: list[Word] = []
        if rng.random() < 0.13 * density:
            word, follow = strewn(rng, word)
        words += [word, *follow]
        run = max(0, run - 1)
        if emphasis and not run and rng.random() < 0.05 * density:
            run = rng.randint(1, 8)
    return words


def reasoning(writer: Writer, length: int) -> list[Word]:
    """Running text with formulas in it."""
    rng = writer.rng
    words: list[Word] = []
    for word in plain(writer.passage(length)):
        words.append(word)
        if rng.random() < 0.2:
            *formula, last = relation(rng)
            words += [*formula, [*last, (rng.choice(",.;:"), "")] if rng.random() < 0.3 else last]
    return words


def footnote(writer: Writer, length: int) -> list[Word]:
    """A note that begins with its mark."""
    rng = writer.rng
    words = dressed(writer, length, 2.0) or plain("Note.")
    sign = drawn(rng, "«8«|9»|8«|9»|*|†|‡|§|a|b»")
    return [[(sign, "^"), *words[0]], *words[1:]] if rng.random() < 0.7 else [[(sign, "")], *words]


def headline(writer: Writer) -> tuple[list[Word], list[Word]]:
    """The number of a heading (none for some) and its words, perhaps in capitals."""
    rng = writer.rng
    style = rng.choice(("b", "b", "b", "c", "", "i", "bi"))
    text = writer.phrase(1, 9)
    if rng.random() < 0.3 or style == "c":
        text = text.upper()
    label = drawn(rng, NUMBERING)
    words = plain(text, style) if rng.random() < 0.93 else listings.piece(rng)
    if rng.random() < 0.1:
        words[-1] = [*words[-1], mark(rng, style)]
    return plain(label, style), words


def caption(writer: Writer, length: int) -> list[Word]:
    """A caption with its label."""
    rng = writer.rng
    label = plain(drawn(rng, CAPTIONS), rng.choice(("", "b", "b", "c")))
    return label + dressed(writer, length, 0.8)


def cell(writer: Writer) -> list[Word]:
    """What stands alone: a figure, a word or a few, a page number."""
    rng = writer.rng
    style = rng.choice(("", "", "", "b", "i"))
    kind = rng.random()
    if kind < 0.3:
        return plain(drawn(rng, "«8|9|89|999|8,999|89,999|89.9|0.99|8.99|8«9|99»%»"), style)
    if kind < 0.6:
        return plain(drawn(rng, rng.choice((*NUMBERS, *QUANTITIES))), style)
    if kind < 0.7:
        return plain(drawn(rng, "«8«|9»|A|B|IV|II|i|8.9»«|.|)|:|*»"), style)
    words = plain(writer.phrase(1, rng.choice((1, 1, 2, 3, 5))), style)
    if words and rng.random() < 0.25:
        words[-1] = [*words[-1], mark(rng, style)]
    return words + (plain(f"({rng.choice(UNITS)})", style) if rng.random() < 0.1 else [])


def cells(writer: Writer, columns: int) -> list[list[Word]]:
    """A row of a table: the words of each cell."""
    rng = writer.rng
    style = rng.choice(("", "", "", "", "b", "i"))
    row = [plain(writer.phrase(1, 4)[:28] or "Total", style)]
    if rng.random() < 0.2:
        row[0] = plain(drawn(rng, rng.choice(CITATIONS)))
    if rng.random() < 0.3:
        row[0][-1] = [*row[0][-1], mark(rng, style)]
    kind = rng.random()
    form = rng.choice((*NUMBERS, "0.99", "9.9", "8«9|»", "8«|9».99") if rng.random() < 0.5 else ("{number}",))
    known = [drawn(rng, form) for _ in range(rng.choice((1, 3, 20)))]  # columns repeat themselves
    for _ in range(columns - 1):
        if kind < 0.75:
            weight = style if rng.random() < 0.5 else rng.choice(("", "", "", "b"))
            row.append(plain(rng.choice((drawn(rng, form), rng.choice(known))), weight))
        elif kind < 0.9:
            row.append(plain(writer.phrase(1, 3)[:24], style))
        else:
            row.append(rng.choice((quantity, relation, listings.piece))(rng))
    return row
