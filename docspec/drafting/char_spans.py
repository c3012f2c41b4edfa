"""Lines of a page from its characters, as MuPDF's raw dictionary has them: spans that are cut where what was found of a
character changes, and pieces that were printed later into the gap of a line in their place there (browsers paint a
shifted figure after its line, programs that fill in forms write all values behind the form's text).

A short rule that is drawn for an underscore is one: TeX's fonts of old have none.

What a file prints twice, one upon the other, to look bold, is told once: MuPDF tells each print; where it collects
styles it tells one, but then takes time that grows with the square of their number, and loses letters of ligatures.
Soft hyphens that are printed within a line are hyphens, of a file whose font calls every hyphen so (U+00AD); a real
soft one is printed only where a line ends, and goes with the break.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from docspec.core import BBox
from docspec.core.geometry import runs_of

FOUND = ("struck", "script", "formula")
"""What other modules say of single characters."""
TOUCHING = 0.15
"""White between a piece and a letter beside it that is no space, in sizes of the type."""
HIGHER = 1.6
"""Most heights of a line that a piece in it has."""
BLANK = " _\u00a0"
"""What is printed where something is to be filled in."""

REACH, LONGEST = 6.0, 12.0
"""Points below a line in which a rule for an underscore is looked for, and most length of one."""
UNDERSCORE, FLAT, DEEPEST = (0.2, 0.65), 0.1, 0.3
"""Least and most length of such a rule, how thick it is at most (and how far above the baseline), and how far it may be
below the baseline, in sizes of the type."""

Line = dict[str, Any]
"""A line of MuPDF's dictionaries; in all but :func:`has_pieces` with the characters of its spans."""


def has_pieces(blocks: Sequence[dict[str, Any]]) -> bool:
    """Whether a line of ``blocks`` lies between the beginning and the end of another, at its height."""
    return next(_pieces(blocks), None) is not None


def put_in_gaps(blocks: Sequence[dict[str, Any]]) -> None:
    """Moves lines that stand in a gap of another into that one."""
    for piece, line in list(_pieces(blocks)):
        if not piece["spans"] or not line["spans"] or not (parts := _parted(line, BBox(*piece["bbox"]))):
            continue
        left, right = parts
        box, size = BBox(*piece["bbox"]), line["spans"][0]["size"]
        if box.x0 - left[-1]["chars"][-1]["bbox"][2] > TOUCHING * size:
            left[-1]["chars"].append(_space(left[-1]["chars"][-1]))
        if right[0]["chars"][0]["bbox"][0] - box.x1 > TOUCHING * size:
            right[0]["chars"].insert(0, _space(right[0]["chars"][0]))
        line["spans"] = [*left, *piece["spans"], *right]
        line["bbox"] = _union([line["bbox"], piece["bbox"]])
        piece["spans"] = []


def put_in_underscores(blocks: Sequence[dict[str, Any]], strokes: Sequence[BBox]) -> None:
    """Puts in an underscore where one of ``strokes`` is drawn for it: a short rule below the baseline that fills the
    gap between two letters or figures, and goes on as no other one (an underline may be drawn in pieces)."""
    short = [stroke for stroke in strokes if stroke.height < stroke.width < LONGEST]
    short = [one for one in short if not any(_touch(one, other) for other in strokes if other is not one)]
    for line in (line for block in blocks for line in block.get("lines", ())) if short else ():
        _, y0, _, y1 = line["bbox"]
        level = abs(line["dir"][1]) < 0.01 and line["dir"][0] > 0
        for stroke in (one for one in short if level and y0 < one.center_y < y1 + REACH):
            _put_in(line, stroke)


def _touch(stroke: BBox, other: BBox) -> bool:
    apart = max(stroke.x0, other.x0) - min(stroke.x1, other.x1)
    return apart < 0.5 and abs(stroke.center_y - other.center_y) < 1.0


def _put_in(line: Line, stroke: BBox) -> None:
    places = [(span, char) for span in line["spans"] for char in span["chars"] if char["c"].strip()]
    at = sum((char["bbox"][0] + char["bbox"][2]) / 2 < stroke.center_x for _, char in places)
    if not 0 < at < len(places):
        return
    (span, left), (_, right) = places[at - 1 : at + 1]
    size, room = span["size"], TOUCHING * span["size"]
    drop = stroke.center_y - left["origin"][1]
    start, end = left["bbox"][2], right["bbox"][0]
    fills = start - room < stroke.x0 and stroke.x1 < end + room and end - start < stroke.width + 2 * room
    is_low = stroke.height <= FLAT * size and -FLAT * size < drop <= DEEPEST * size
    is_short = UNDERSCORE[0] * size <= stroke.width <= UNDERSCORE[1] * size
    if not (fills and is_low and is_short and left["c"].isalnum() and right["c"].isalnum()):
        return
    _, y0, _, y1 = left["bbox"]
    sign = left | {"c": "_", "bbox": (stroke.x0, y0, stroke.x1, y1), "origin": (stroke.x0, left["origin"][1])}
    span["chars"].insert(span["chars"].index(left) + 1, sign)
    for one in line["spans"]:  # MuPDF tells a space there
        one["chars"] = [char for char in one["chars"] if char["c"].strip() or not start <= char["bbox"][0] + 0.01 < end]
    line["spans"] = [one for one in line["spans"] if one["chars"]]


def spans_of(blocks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """``blocks``, a page with its characters (MuPDF's raw dictionary), as the dictionary of its spans. A span says what
    was found of its characters."""
    return [
        block
        | {
            "lines": [
                line | {"spans": [part for span in line["spans"] for part in _cut(span)]}
                for line in block.get("lines", ())
                if line["spans"]
            ]
        }
        for block in blocks
    ]


def _pieces(blocks: Sequence[dict[str, Any]]) -> Iterator[tuple[Line, Line]]:
    """Lines that lie between the beginning and the end of another, each with that one."""
    rows: dict[int, list[Line]] = {}
    for block in blocks:
        for line in block.get("lines", ()):
            is_level = abs(line["dir"][1]) < 0.01 and line["dir"][0] > 0
            if line["spans"] and is_level and any(span.get("alpha", 255) for span in line["spans"]):
                _, y0, _, y1 = line["bbox"]
                for row in range(int(y0) // 8, int(y1) // 8 + 1):
                    rows.setdefault(row, []).append(line)
    for row, lines in rows.items():
        longest: Line | None = None
        for line in sorted(lines, key=lambda one: (one["bbox"][0], -one["bbox"][2])):
            x0, y0, x1, y1 = line["bbox"]
            if longest is None or x1 >= longest["bbox"][2]:
                longest = line
                continue
            top, bottom = longest["bbox"][1], longest["bbox"][3]
            own = int((y0 + y1) / 2) // 8 == row  # each piece once
            if own and x0 > longest["bbox"][0] and top < (y0 + y1) / 2 < bottom and y1 - y0 < HIGHER * (bottom - top):
                yield line, longest


def _parted(line: Line, box: BBox) -> tuple[list[dict[str, Any]], list[dict[str, Any]]] | None:
    """The spans of ``line`` on the left and on the right of the gap in which ``box`` stands; ``None`` if there is
    print."""
    room = TOUCHING * line["spans"][0]["size"]
    left: list[dict[str, Any]] = []
    right: list[dict[str, Any]] = []
    for span in line["spans"]:
        before = [char for char in span["chars"] if (char["bbox"][0] + char["bbox"][2]) / 2 < box.center_x]
        after = span["chars"][len(before) :]
        if before != span["chars"][: len(before)] or (right and before):
            return None  # not from left to right
        left += [{**span, "chars": before}] if before else []
        right += [{**span, "chars": after}] if after else []
    while left and left[-1]["chars"][-1]["c"] in BLANK and left[-1]["chars"][-1]["bbox"][2] > box.x0 - 4 * room:
        _drop(left, -1)
    while right and right[0]["chars"][0]["c"] in BLANK and right[0]["chars"][0]["bbox"][0] < box.x1 + 4 * room:
        _drop(right, 0)
    if not left or not right:
        return None
    fits = left[-1]["chars"][-1]["bbox"][2] <= box.x0 + room and right[0]["chars"][0]["bbox"][0] >= box.x1 - room
    return (left, right) if fits else None


def _drop(spans: list[dict[str, Any]], at: int) -> None:
    """Takes the first or last character off ``spans``."""
    spans[at]["chars"].pop(at)
    if not spans[at]["chars"]:
        spans.pop(at)


def _space(beside: dict[str, Any]) -> dict[str, Any]:
    return beside | {"c": " "}


def _cut(span: dict[str, Any]) -> list[dict[str, Any]]:
    """A span, cut where what was found of its characters changes; a space goes with the character before it."""
    runs: list[tuple[tuple[Any, ...], list[dict[str, Any]]]] = []
    for char in span["chars"]:
        state = tuple(char.get(key, 0) for key in FOUND) if char["c"].strip() or not runs else runs[-1][0]
        if runs and runs[-1][0] == state:
            runs[-1][1].append(char)
        else:
            runs.append((state, [char]))
    rest = {key: value for key, value in span.items() if key != "chars"}
    return [
        rest
        | {
            "text": "".join(char["c"] for char in chars),
            "origin": chars[0]["origin"],
            "bbox": _union(char["bbox"] for char in chars),
        }
        | dict(zip(FOUND, state, strict=True))
        for state, chars in runs
    ]


def _union(boxes: Any) -> tuple[float, float, float, float]:
    box = BBox.union(BBox(*one) for one in boxes)
    return box.x0, box.y0, box.x1, box.y1


SOFT = "\u00ad"
LEAST_WIDTH, MOST_HEIGHT = 0.1, 0.3
"""Of the ink of a hyphen, in sizes of its type."""


def tell_hyphens(blocks: Sequence[dict[str, Any]]) -> None:
    """Makes hyphens of the soft ones of ``blocks``, a page as MuPDF's raw dictionary with exact boxes: those within a
    line that are printed, and with them the others of their font."""
    fonts: set[str] = set()
    soft: list[tuple[str, dict[str, Any]]] = []
    for line in (line for block in blocks for line in block.get("lines", ())):
        chars = [(span, char) for span in line["spans"] for char in span["chars"] if char["c"].strip()]
        for span, char in chars:
            x0, y0, x1, y1 = char["bbox"]
            if char["c"] == SOFT and x1 - x0 > LEAST_WIDTH * span["size"] and y1 - y0 < MOST_HEIGHT * span["size"]:
                soft.append((span["font"], char))
                fonts |= {span["font"]} if char is not chars[-1][1] else set()
    for font, char in soft:
        if font in fonts:
            char["c"] = "-"


LEVEL = 1.0
"""Most points between the baselines of two prints."""

NARROW = 0.3
"""Width of a line's characters, in sizes of the type and on average, below which they are not all printed."""

UPON = 0.1
"""Most distance of two prints of one character, in sizes of the type: the narrowest letters are 0.2 wide."""


def without_doubles(blocks: Sequence[dict[str, Any]]) -> None:
    """Takes the second prints out of the level lines of ``blocks``, a page as MuPDF's raw dictionary, and the lines
    that have no others."""
    for row in _doubled(blocks):
        for line, beside in pairwise(sorted(row, key=lambda line: float(line["bbox"][0]))):
            if _is_repeated(line, beside):
                _shorten(line, beside)
        _print_once(row)
    for block in blocks:
        if "lines" in block:
            block["lines"] = [line for line in block["lines"] if any(span["chars"] for span in line["spans"])]


def has_doubles(blocks: Sequence[dict[str, Any]]) -> bool:
    """Whether ``blocks``, a page as MuPDF's dictionary, have level lines that are printed upon others."""
    return any(True for _ in _doubled(blocks))


def _doubled(blocks: Sequence[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    """The lines on each baseline on which one lies upon another."""
    lines = [line for block in blocks for line in block.get("lines", ()) if line["dir"] == (1.0, 0.0) and line["spans"]]
    lines.sort(key=lambda line: float(line["spans"][0]["origin"][1]))
    for row in runs_of(lines, lambda a, b: b["spans"][0]["origin"][1] - a["spans"][0]["origin"][1] < LEVEL):
        if len(row) > 1 and (_overlap(row) or _is_any_repeated(row)):
            yield row


def _overlap(row: Sequence[dict[str, Any]]) -> bool:
    spans = sorted((line["bbox"][0], line["bbox"][2]) for line in row)
    return any(b[0] < a[1] - 0.5 * (a[1] - a[0]) for a, b in pairwise(spans))


def _is_any_repeated(row: Sequence[dict[str, Any]]) -> bool:
    return any(_is_repeated(*two) for two in pairwise(sorted(row, key=lambda line: float(line["bbox"][0]))))


def _is_repeated(line: dict[str, Any], beside: dict[str, Any]) -> bool:
    """Whether the line ``beside`` repeats the end of a ``line`` that is too narrow for its text: MuPDF gives the first
    glyph of several the text that the file tells for all of them (``ActualText``), and then that of the others."""
    size, (x0, _, x1, _) = line["spans"][-1]["size"], line["bbox"]
    text, repeated = _text_of(line), _text_of(beside).strip()
    near = abs(beside["bbox"][0] - x1) < UPON * size
    return near and len(repeated) > 1 and text.endswith(repeated) and x1 - x0 < NARROW * size * len(text)


def _text_of(line: dict[str, Any]) -> str:
    spans = line["spans"]
    return "".join(span.get("text") or "".join(char["c"] for char in span.get("chars", ())) for span in spans)


def _shorten(line: dict[str, Any], beside: dict[str, Any]) -> None:
    """Takes the text of the line ``beside`` off the end of ``line``."""
    left = len(_text_of(line).removesuffix(_text_of(beside).strip()))
    for span in line["spans"]:
        span["chars"] = span["chars"][:left]
        left -= len(span["chars"])


def _print_once(row: Sequence[dict[str, Any]]) -> None:
    """Keeps one print of each character: that in the longer word, then in the longer line, as a print may lack some of
    a word's characters."""
    words: list[tuple[int, int, float, list[dict[str, Any]]]] = []
    for line in row:
        length = sum(len(span["chars"]) for span in line["spans"])
        for span in line["spans"]:
            for word in runs_of(span["chars"], lambda a, b: not (a["c"].isspace() or b["c"].isspace())):
                words.append((len(word), length, UPON * span["size"], word))
    known: dict[str, list[tuple[float, float]]] = {}
    kept: set[int] = set()
    for _, _, near, word in sorted(words, key=lambda one: one[:2], reverse=True):
        for char in word:
            x, y = char["origin"]
            places = known.setdefault(char["c"], [])
            if not any(abs(x - x0) < near and abs(y - y0) < near for x0, y0 in places):
                places.append((x, y))
                kept.add(id(char))
    for line in row:
        for span in line["spans"]:
            left = [char for char in span["chars"] if id(char) in kept]
            if len(left) < len(span["chars"]):
                span["chars"] = left
                span["bbox"] = _around(left) or span["bbox"]
        inked = any(not char["c"].isspace() for span in line["spans"] for char in span["chars"])
        line["spans"] = [span for span in line["spans"] if span["chars"]] if inked else []
        line["bbox"] = _around(line["spans"]) or line["bbox"]


def _around(parts: Sequence[dict[str, Any]]) -> tuple[float, float, float, float] | None:
    """The box of all ``parts``; ``None`` if there are none."""
    if not parts:
        return None
    x0, y0, x1, y1 = zip(*(part["bbox"] for part in parts), strict=True)
    return min(x0), min(y0), max(x1), max(y1)
