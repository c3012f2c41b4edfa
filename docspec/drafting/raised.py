"""Raised and lowered type on a page: found by its size and its height over the line, and spelled as such.

MuPDF calls a character raised if it stands higher than the first one of its line, and makes a line of its own of what
stands higher still. Here a line's base is that of most of its large type, and what stands off it comes to the line
whose end it touches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from typing import Any

from docspec.core import raised as spelling
from docspec.documents.painting import trace_of

LEAST_RISE, MOST_RISE = 0.12, 1.05
"""How far a raised base stands over the line's, in sizes of the line's type."""
LEAST_FALL, MOST_FALL = 0.06, 0.6
SMALL = 0.85
"""Largest size of raised type over that of its line; type of full size is raised from :data:`CLEAR_RISE` on."""
CLEAR_RISE = 0.28
GAP = 0.3
"""Most white between a letter and what is raised at it, in sizes of the line's type."""
MOST_SIGNS = 6
"""Most characters of type that is raised although MuPDF gave it a line of its own."""
MOST_INK = 0.5
"""Greatest height of the ink of a figure that its font designs as raised or lowered, in sizes of its type."""
BASE_SHARE = 0.25
"""Least share of a line's characters whose size can be the line's."""

_OPEN, _CLOSED = re.compile(r"[(\[]\s*$"), re.compile(r"\s*[)\]]")
"""A mark in brackets stands apart as it is."""
_UP, _DOWN = 1, 2  # of a span's own ``script``
_FIGURES = frozenset("0123456789+-−")

Span = dict[str, Any]
Line = dict[str, Any]
"""A line of MuPDF's dictionaries."""


@dataclass(frozen=True, slots=True)
class _Base:
    """The size of a line's type and its origin."""

    size: float
    x: float
    y: float

    def rise(self, span: Mapping[str, Any], direction: tuple[float, float]) -> float:
        """How far ``span`` stands over the line, in sizes of its type."""
        across, down = span["origin"][0] - self.x, span["origin"][1] - self.y
        return (across * direction[1] - down * direction[0]) / max(self.size, 1e-6)


def with_raised(blocks: Sequence[dict[str, Any]]) -> None:
    """Spells raised and lowered type of ``blocks``, a page as MuPDF's dictionary, with raised and lowered characters.
    The spans say so (``script``: 1 raised, 2 lowered), and stand in the line that they belong to."""
    lines = [line for block in blocks for line in block.get("lines", ()) if line["spans"]]
    _attach(lines)
    for line in lines:
        if not _is_hidden(line):
            spell_raised(line["spans"], line["dir"])


def spell_raised(spans: Sequence[Span], direction: tuple[float, float] = (1.0, 0.0)) -> None:
    """Spells raised and lowered ones of ``spans``, the line's from its beginning to its end."""
    base = _base(spans)
    if base is None:
        return
    for span in spans:
        script = span.get("script") or _script(span, base, direction)
        if script and span["text"].strip():
            span["script"] = script
    at = 0
    for script, group in groupby(spans, key=lambda span: span.get("script", 0)):
        run = list(group)
        before, after = spans[at - 1 : at], spans[at + len(run) : at + len(run) + 1]
        at += len(run)
        if script and not (before and after and _OPEN.search(before[0]["text"]) and _CLOSED.match(after[0]["text"])):
            _spell(run, spelling.raised if script == _UP else spelling.lowered)


def _spell(run: Sequence[Span], spell: Callable[[str], str]) -> None:
    """Spells raised spans that follow each other as one: the sign of an exponent is often of another font."""
    texts = [span["text"] for span in run]
    spelled = spell("".join(texts))
    if spelled == "".join(texts):
        spelled = "".join(map(spell, texts))
    for span, end in zip(run, accumulate(map(len, texts)), strict=True):
        span["text"] = spelled[end - len(span["text"]) : end]


def has_two_shapes(page: Any) -> bool:
    """Whether a font of a ``pymupdf.Page`` prints a figure in two shapes: the second may be raised by its design."""
    shapes: dict[tuple[str, int], int] = {}
    return any(
        48 <= code <= 57 and glyph and shapes.setdefault((span["font"], code), glyph) != glyph  # 0: no glyph for it
        for span in trace_of(page)
        for code, glyph, *_ in span["chars"]
    )


def mark_raised(blocks: Sequence[dict[str, Any]]) -> None:
    """Says of the figures of ``blocks``, a page as MuPDF's raw dictionary with exact boxes, that their ink is raised or
    lowered although they stand on the line: figures of a font's own for that (``sups``, ``subs``)."""
    for line in (line for block in blocks for line in block.get("lines", ()) if _is_level(line)):
        signs = [(char, span["size"]) for span in line["spans"] for char in span["chars"] if char["c"] in _FIGURES]
        for char, size in signs:
            _, top, _, bottom = char["bbox"]
            up, down = (char["origin"][1] - bottom) / size, (char["origin"][1] - top) / size
            if char["c"].isdigit() and 0.1 < down - up < MOST_INK:
                char["script"] = _UP if up >= LEAST_RISE else _DOWN if up <= -LEAST_FALL else 0
        for (char, _), (beside, _) in pairwise(signs):
            touches = 0 <= beside["bbox"][0] - char["bbox"][2] < 1
            if touches and not char["c"].isdigit() and beside.get("script"):
                char["script"] = beside["script"]


def _base(spans: Sequence[Span]) -> _Base | None:
    """The base of a line: the largest type with a good share of its characters, at the height of most of that."""
    sizes: Counter[float] = Counter()
    for span in spans:
        sizes[round(span["size"], 1)] += len(span["text"].strip())
    total = sizes.total()
    if not total:
        return None
    good = [size for size, count in sizes.items() if count >= BASE_SHARE * total]
    size = max(good or +sizes)  # spaces have sizes, too; in the layer of a scan each word may have a size of its own
    own = [span for span in spans if round(span["size"], 1) == size and span["text"].strip()]
    heights: Counter[float] = Counter()
    for span in own:
        heights[round(span["origin"][1], 1)] += len(span["text"].strip())
    first = next(span for span in own if round(span["origin"][1], 1) == heights.most_common(1)[0][0])
    return _Base(size, *first["origin"])


def _script(span: Span, base: _Base, direction: tuple[float, float]) -> int:
    rise = base.rise(span, direction)
    is_small = span["size"] <= SMALL * base.size
    if (LEAST_RISE if is_small else CLEAR_RISE) <= rise <= MOST_RISE:
        return _UP if is_small or _is_short(span["text"]) else 0
    return _DOWN if is_small and -MOST_FALL <= rise <= -LEAST_FALL else 0


def _attach(lines: Sequence[Line]) -> None:
    """Moves short raised type, at the start of a line of its own or of another, to the line whose end it touches."""
    ends: dict[int, list[Line]] = {}
    for line in lines:
        if _is_level(line):
            ends.setdefault(int(line["spans"][-1]["bbox"][2]), []).append(line)
    for line in lines:
        first = next((span for span in line["spans"] if span["text"].strip()), None)
        if first is None or not _is_level(line) or not _is_short(first["text"]) or _is_hidden(line):
            continue
        left = first["bbox"][0]
        reach = int(first["size"]) + 1
        near = [one for x in range(int(left) - reach, int(left) + reach + 1) for one in ends.get(x, ())]
        owner = next((one for one in near if one is not line and _takes(one, line, first)), None)
        if owner is None:
            continue
        owner["spans"] = [*owner["spans"], *line["spans"][line["spans"].index(first) :]]  # it goes on behind the mark
        owner["bbox"] = (*owner["bbox"][:2], max(owner["bbox"][2], line["bbox"][2]), owner["bbox"][3])
        line["spans"] = []
        end = owner["spans"][-1]["bbox"][2]
        base = _base(owner["spans"])
        rest = next((one for one in lines if one is not owner and _goes_on(base, owner["dir"], one, end)), None)
        if rest is not None:
            owner["spans"] += rest["spans"]
            owner["bbox"] = (*owner["bbox"][:2], max(owner["bbox"][2], rest["bbox"][2]), owner["bbox"][3])
            rest["spans"] = []
        ends.setdefault(int(owner["spans"][-1]["bbox"][2]), []).append(owner)


def _takes(owner: Line, line: Line, first: Span) -> bool:
    """Whether ``first``, the first span of ``line``, is raised at the end of ``owner``."""
    if first["size"] > SMALL * max((span["size"] for span in owner["spans"]), default=0.0):
        return False  # as most are, without a look at the base
    base = _base(owner["spans"])
    if base is None or not owner["spans"][-1]["text"][-1:].strip() or _is_hidden(owner):
        return False
    rest = [span for span in line["spans"] if span is not first and span["text"].strip()]
    if rest and abs(base.rise(rest[0], owner["dir"])) > LEAST_FALL:
        return False  # no part of this line
    gap = first["bbox"][0] - owner["spans"][-1]["bbox"][2]
    rise = base.rise(first, owner["dir"])
    return first["size"] <= SMALL * base.size and abs(gap) <= GAP * base.size and LEAST_RISE <= rise <= MOST_RISE


def _goes_on(base: _Base | None, direction: tuple[float, float], line: Line, end: float) -> bool:
    """Whether ``line`` goes on at ``end``, where one with that ``base`` was parted by what is raised in it."""
    if base is None or not _is_level(line) or abs(line["spans"][0]["bbox"][0] - end) > GAP * base.size:
        return False
    first = line["spans"][0]
    return abs(base.rise(first, direction)) < LEAST_FALL and abs(first["size"] - base.size) < 0.1 * base.size


def _is_short(text: str) -> bool:
    return 0 < len(text.strip()) <= MOST_SIGNS and " " not in text.strip()


def _is_level(line: Line) -> bool:
    return bool(line["spans"]) and abs(line["dir"][1]) < 0.01 and line["dir"][0] > 0


def _is_hidden(line: Line) -> bool:
    """Whether nothing of it is painted: a recogniser's words, whose heights and sizes say nothing."""
    return all(span.get("alpha", 255) == 0 for span in line["spans"])
