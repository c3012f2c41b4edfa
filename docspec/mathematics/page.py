"""Puts the formulas of a page into its text, as LaTeX between ``$``, before lines are made of it.

MuPDF scatters a formula over several lines, one for each height. Its characters are taken out of all of them and its
LaTeX stands where it begins; one that stands alone becomes a line of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from docspec.core import BBox
from docspec.core.choices import Formulas
from docspec.core.geometry import in_rows
from docspec.core.result import Event
from docspec.mathematics.glyphs import INVISIBLE, Glyph, has_mathematics
from docspec.mathematics.reading import ReadFormula, read_page

DISPLAY = "display"
"""What the mark of a formula that stands alone points to."""

SPACE = 0.17
"""White between two characters that parts words, in sizes of the type."""

TOLD = 40
"""Most characters of a doubtful formula in its event."""

Line = dict[str, Any]
Span = dict[str, Any]


class PageFormulas:
    """Reads the formulas of one page at a time. ``events`` and ``found`` are of the last one. Where ``tables`` tell
    the places of its cells, ``cells`` has the texts of those with formulas. In ``pictures`` no formula stands alone:
    labels of a chart stand over and beside each other, too."""

    def __init__(self, mode: Formulas = "latex") -> None:
        self._mode = mode
        self.events: tuple[Event, ...] = ()
        self.found: Sequence[ReadFormula] = ()
        self.tables: Sequence[Sequence[BBox]] = ()
        self.pictures: Sequence[BBox] = ()
        self.cells: dict[BBox, str] = {}
        self._alone: tuple[Sequence[dict[str, Any]], list[BBox]] = ((), [])

    def are_on(self, page: Any) -> bool:
        """Whether formulas of ``page`` are to be looked for: only where a font is made for them, which takes no time to
        see."""
        return self._mode != "text" and has_mathematics(page)

    def put_in(self, page: Any, blocks: list[dict[str, Any]]) -> None:
        """Puts the formulas of ``page`` into ``blocks``, its text as MuPDF's raw dictionary with exact boxes."""
        found = self.found = read_page(page, blocks, self.tables)
        self.events = tuple(self._doubts(found))
        sure = [one for one in found if not one.doubt and (one.formula.display or self._mode == "latex")]
        sure = [one for one in sure if not (one.formula.display and self._is_depicted(one))]
        if not sure:
            return
        owner = {id(glyph.char): number for number, one in enumerate(sure) for glyph in _glyphs(one)}
        starts = {id(_first(one).char): number for number, one in enumerate(sure)}
        tails = _tails(blocks, sure, owner)
        for index in range(len(blocks) - 1, -1, -1):
            displayed: list[dict[str, Any]] = []
            for line in blocks[index].get("lines", ()):
                own = _rewritten(line, owner, starts, tails, sure)
                displayed += [_block_of(sure[number], span) for number, span in own]
            blocks[index + 1 : index + 1] = displayed
        self.cells = texts_of_cells(blocks, [cell for cells in self.tables for cell in cells])

    def _is_depicted(self, one: ReadFormula) -> bool:
        return any(picture.has_center_of(BBox(*_box(one))) for picture in self.pictures)

    def _doubts(self, found: Sequence[ReadFormula]) -> Iterator[Event]:
        """What is to be said of formulas that are not sure."""
        left = Counter(one.doubt for one in found if one.doubt)
        if left:
            yield Event("formulas_doubtful", f"{left.total()} formulas are left as plain text: {'; '.join(left)}")
        unsure = [one for one in found if one.unsure and not one.doubt]
        if unsure and self._mode == "latex":
            told = "; ".join(f"{one.latex[:TOLD]} ({one.unsure})" for one in unsure[:3])
            count = f"{len(unsure)} formula{'s' * (len(unsure) > 1)}"
            yield Event("formulas_doubtful", f"the LaTeX of {count} may be wrong: {told}")

    def displayed(self, page: Any, blocks: Sequence[dict[str, Any]]) -> list[BBox]:
        """The places of the formulas of ``page`` that stand alone, as if no table were on it; the same ``blocks`` are
        read once."""
        if self._alone[0] is not blocks:
            found = [one for one in read_page(page, blocks) if one.formula.display and not one.doubt]
            self._alone = blocks, [BBox(*_box(one)) for one in found]
        return self._alone[1]


def texts_of_cells(blocks: Sequence[dict[str, Any]], cells: Sequence[BBox]) -> dict[BBox, str]:
    """The texts of those of ``cells`` in which a formula stands, in the order of reading."""
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"] if span["chars"]]
    formulas = [BBox(*span["bbox"]) for span in spans if "ends" in span]
    grown = {cell: cell.grown(1) for cell in cells}
    own = {cell: around for cell, around in grown.items() if any(map(around.has_center_of, formulas))}
    rivals = {
        cell: [one for one in cells if around.intersection(grown[one]) is not None] for cell, around in own.items()
    }
    pieces: dict[BBox, list[tuple[BBox, float, str]]] = {}
    for span in spans if own else ():
        size, chars = span["size"], span["chars"]
        parts = [(span["bbox"], chars[0]["origin"][1], "".join(char["c"] for char in chars))]
        if "ends" not in span:
            parts = [(char["bbox"], char["origin"][1], char["c"]) for char in chars]
        for (x0, y0, x1, y1), baseline, text in parts:
            part = BBox(x0, y0, x1, y1)
            cell = next((cell for cell, around in own.items() if around.has_center_of(part)), None)
            if cell is not None:  # cells with tall brackets reach into those above and below them
                both = [one for one in rivals[cell] if grown[one].has_center_of(part)]
                cell = min(both, key=lambda one: abs(one.center_y - part.center_y) / one.height)
            if cell in own:
                place = BBox(x0, baseline - 0.7 * size, x1, baseline + 0.2 * size)
                pieces.setdefault(cell, []).append((place, size, text))
    return {cell: _text_of(parts) for cell, parts in pieces.items()}


def _text_of(pieces: Sequence[tuple[BBox, float, str]]) -> str:
    """The text of pieces (place, size of type, text), with spaces where white is between them."""
    text, end = "", float("-inf")
    for row in in_rows(pieces, itemgetter(0)):
        for place, size, part in row:
            text += " " * (place.x0 - end > SPACE * size or place.x1 < end - size) + part
            end = place.x1
    return " ".join(text.split())


def _glyphs(one: ReadFormula) -> Iterator[Glyph]:
    for part in (one.formula, *one.formula.rest):
        yield from part.glyphs
        yield from part.number


def _first(one: ReadFormula) -> Glyph:
    """The glyph in whose line a formula stands: the first one of full size that is no brace, on the axis of its tallest
    bracket if one is."""
    glyphs = [glyph for glyph in one.formula.glyphs if glyph.char]
    glyphs = [glyph for glyph in glyphs if glyph.symbol.part != "brace"] or glyphs
    largest = max(glyph.size for glyph in glyphs)
    full = [glyph for glyph in glyphs if glyph.size > 0.86 * largest]
    tall = [glyph for glyph in glyphs if glyph.symbol.part in ("piece", "delimiter")]
    if tall and not one.formula.display:
        middle = (min(glyph.y0 for glyph in tall) + max(glyph.y1 for glyph in tall)) / 2
        level = [glyph for glyph in full if abs(glyph.y - 0.25 * glyph.size - middle) < 0.35 * glyph.size]
        full = [glyph for glyph in level if glyph.symbol.part == "ordinary"] or full
    return min(full, key=lambda glyph: glyph.x0)


def _tails(
    blocks: Sequence[dict[str, Any]], found: Sequence[ReadFormula], owner: dict[int, int]
) -> dict[int, tuple[Span, dict[str, Any]]]:
    """Of formulas within lines the point or comma right behind them, if its line would begin with it; it is made theirs
    in ``owner``."""
    tails = {}
    for line in (line for block in blocks for line in block.get("lines", ())):
        left = ((span, char) for span in line["spans"] for char in span["chars"] if char["c"].strip())
        span, char = next(((span, char) for span, char in left if id(char) not in owner), (None, None))
        if span is None or char is None or char["c"] not in ".,;:!?)":
            continue
        for number, one in enumerate(found):
            last = (one.formula.rest or (one.formula,))[-1].glyphs
            gap = char["bbox"][0] - max(glyph.x1 for glyph in last)
            level = any(abs(glyph.y - char["origin"][1]) < 0.5 for glyph in last)
            if not one.formula.display and level and -0.5 < gap < 0.15 * span["size"]:
                tails[number], owner[id(char)] = (span, char), number
                break
    return tails


def _rewritten(
    line: Line,
    owner: dict[int, int],
    starts: dict[int, int],
    tails: dict[int, tuple[Span, dict[str, Any]]],
    found: Sequence[ReadFormula],
) -> list[tuple[int, Span]]:
    """Takes the characters of formulas out of ``line`` and puts in the formulas that begin there; those that stand
    alone are returned, with the span that they begin in."""
    places = [(span, char) for span in line["spans"] for char in span["chars"]]
    owners = [owner.get(id(char)) for _, char in places]
    if all(number is None for number in owners):
        return []
    owners = _with_spaces(owners, [char["c"] for _, char in places])
    spans: list[Span] = []
    alone: list[tuple[int, Span]] = []
    last: Span | None = None
    for at, ((span, char), number) in enumerate(zip(places, owners, strict=True)):
        if number is None:
            if not char["c"].strip() and spans and spans[-1].get("ends") and _touches(spans[-1], places[at + 1 :]):
                continue  # MuPDF parts what stands at another height
            if char["c"].strip() and spans and spans[-1].get("ends"):
                spans += _space_behind(spans[-1], char["bbox"][0])
            if last is not span or not spans:
                spans.append(span | {"chars": []})
                last = span
            spans[-1]["chars"].append(char)
            continue
        if (begun := starts.get(id(char))) is not None:
            one = found[begun]
            if one.formula.display:
                alone.append((begun, span))
            else:
                spans.append(_span_of(one, span, char["origin"]))
                if begun in tails:
                    spans.append(tails[begun][0] | {"chars": [tails[begun][1]]})
                last = None
    line["spans"] = spans
    return alone


def _space_behind(formula: Span, x: float) -> list[Span]:
    """The space between ``formula`` and what begins at ``x``: MuPDF tells none where it takes the advance of the
    formula's last sign for wider than it is."""
    ends, gap = formula["ends"], x - formula["ends"]
    if gap < SPACE * formula["size"]:
        return []
    place = {"origin": (ends, formula["origin"][1]), "bbox": (ends, formula["bbox"][1], x, formula["bbox"][3])}
    plain = {key: value for key, value in formula.items() if key != "ends"}
    return [plain | place | {"chars": [place | {"c": " ", "synthetic": True}]}]


def _touches(formula: Span, following: Sequence[tuple[Span, dict[str, Any]]]) -> bool:
    """Whether the next sign stands right behind ``formula``."""
    char = next((char for _, char in following if char["c"].strip()), None)
    return char is not None and char["bbox"][0] - formula["ends"] < 0.15 * formula["size"]


def _with_spaces(owners: list[int | None], signs: Sequence[str]) -> list[int | None]:
    """``owners`` with the spaces within a formula as its own."""
    told = list(owners)
    before: int | None = None
    spaces: list[int] = []
    for at, (number, sign) in enumerate(zip(owners, signs, strict=True)):
        if number is None and (not sign.strip() or sign in INVISIBLE):
            spaces.append(at)
            continue
        if number is not None and number == before:
            for space in spaces:
                told[space] = number
        before, spaces = number, []
    return told


def _span_of(one: ReadFormula, like: Span, origin: tuple[float, float]) -> Span:
    """A formula as a span of one character for each of its LaTeX."""
    text = f"$${one.latex}$$" if one.formula.display else f"${one.latex}$"
    x0, y0, x1, y1 = _box(one)
    step = (x1 - x0) / len(text)
    chars = [
        {
            "c": char,
            "origin": (x0 + at * step, origin[1]),
            "bbox": (x0 + at * step, y0, x0 + (at + 1) * step, y1),
            "synthetic": True,
            "formula": DISPLAY if one.formula.display else "inline",
        }
        for at, char in enumerate(text)
    ]
    return like | {
        "chars": chars,
        "font": "",
        "flags": 0,
        "origin": (x0, origin[1]),
        "bbox": (x0, y0, x1, y1),
        "ends": x1,
    }


def _box(one: ReadFormula) -> tuple[float, float, float, float]:
    glyphs = [*one.formula.glyphs, *one.formula.number]
    x0, y0 = min(glyph.x0 for glyph in glyphs), min(glyph.y0 for glyph in glyphs)
    return x0, y0, max(glyph.x1 for glyph in glyphs), max(glyph.y1 for glyph in glyphs)


def _block_of(one: ReadFormula, like: Span) -> dict[str, Any]:
    """A formula that stands alone, as a block of one line."""
    box = _box(one)
    span = _span_of(one, like, (box[0], box[3]))
    line = {"spans": [span], "bbox": box, "dir": (1.0, 0.0), "wmode": 0}
    return {"type": 0, "bbox": box, "lines": [line]}
