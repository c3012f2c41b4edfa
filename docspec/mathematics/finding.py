"""Finds the formulas of a page: those that stand alone, and those within lines of prose.

Rows are base lines with type of a full size. A row with words is prose, and formulas within it reach as far as its
tokens are of fonts for mathematics, or of figures, brackets and signs beside such. Rows without words that do not begin
where the lines of their column begin stand alone, with all that lies around them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from docspec.mathematics.columns import columns_of_page
from docspec.mathematics.glyphs import Bar, Glyph
from docspec.mathematics.spelling import BINARY, FUNCTIONS, MORE_FUNCTIONS, RELATIONS

APART = 1.6
"""White, in sizes of type, between two formulas that stand alone."""

ROWS_APART = 0.8
"""The same of two whose relations are not below each other."""

_WORD_GAP = 0.17
_FAR = 2.3
"""Gaps between tokens, and the widest within a formula, in sizes of type."""

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_CALL = re.compile(r"\W?[^\W\d_]{1,12}[(\[](?:\d[\d.,]*|[^\W\d_])(?:[)\].,;:]|,.*)*")
"""A function of a number or of one letter."""

_LABEL = re.compile(r"\(?(?:\d{1,3}|[A-Za-z])[.)](?!\d)")
"""The beginning of an item."""

_LOOSE = frozenset(".,;:!?'’”“\"")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its glyphs and bars, whether it stands alone, and its number (``(3)``), if it has one. A formula that a
    line break divides has its further parts in ``rest``."""

    glyphs: tuple[Glyph, ...]
    bars: tuple[Bar, ...]
    display: bool
    number: tuple[Glyph, ...] = ()
    rest: tuple[Formula, ...] = ()


@dataclass(slots=True)
class _Row:
    """A base line of the page with its glyphs from left to right; ``extra`` are scripts and parts of fractions at it."""

    y: float
    size: float
    glyphs: list[Glyph]
    extra: list[Glyph] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    prose: bool = False

    @property
    def x0(self) -> float:
        return min(one.x0 for one in self.glyphs)

    @property
    def x1(self) -> float:
        return max(one.x1 for one in self.glyphs)


def find_formulas(glyphs: Sequence[Glyph], bars: Sequence[Bar]) -> list[Formula]:
    """The formulas of a page, in no order."""
    text = [one for one in glyphs if not one.is_math and one.symbol.sign.isalpha()]
    if not text and not any(one.is_math for one in glyphs):
        return []
    body = _usual([one.size for one in text] or [one.size for one in glyphs])
    borrowed = _letters_are_borrowed(glyphs)
    found: list[Formula] = []
    for own, own_bars in columns_of_page(glyphs, bars):
        found += _in_column(own, own_bars, body, borrowed)
    return found


def _usual(sizes: Sequence[float]) -> float:
    return Counter(round(size, 1) for size in sizes).most_common(1)[0][0]


def _letters_are_borrowed(glyphs: Sequence[Glyph]) -> bool:
    """Whether no font for mathematics has the page's italic letters: then those of the text's italics are variables."""
    mathematical = [one for one in glyphs if one.font.kind in ("it", "unicode")]
    own = any(one.symbol.sign.isascii() and one.symbol.sign.isalpha() and one.symbol.alphabet == "it" for one in mathematical)
    return not own


def _in_column(glyphs: Sequence[Glyph], bars: Sequence[Bar], body: float, borrowed: bool) -> Iterator[Formula]:
    rows = _rows(glyphs, body)
    for row in rows:
        row.prose = _is_prose(row, borrowed)
    prose = [row for row in rows if row.prose]
    left, right = _margins(prose, glyphs)
    for above, row in zip((None, *rows), rows, strict=False):
        if not row.prose and above is not None and above.prose and _continues(row, above, rows, left, right):
            row.prose = True
    prose = [row for row in rows if row.prose]
    in_rows = {id(one) for row in rows for one in row.glyphs}
    loose = [one for one in glyphs if id(one) not in in_rows]
    for row in rows:
        row.prose = row.prose and not _is_centred(row, rows, loose, left, right)
    prose = [row for row in rows if row.prose]
    rows = _with_fractions(rows, bars)
    alone = _attached(loose, rows)
    alone_bars = _bars_attached(bars, rows)
    alone += [one for row in rows if not row.prose for one in (*row.glyphs, *row.extra)]
    pending: Formula | None = None
    for row in prose:
        formulas = list(_inline(row, borrowed))
        if pending is not None and formulas and _begins(row, formulas[0]) and row.y > pending.glyphs[0].y:
            pending = Formula(pending.glyphs, pending.bars, False, (), (*pending.rest, formulas.pop(0)))
            if not (not formulas and _ends(row, pending.rest[-1]) and _is_open(pending.rest[-1])):
                yield pending
                pending = None
        elif pending is not None:
            yield pending
            pending = None
        for one in formulas:
            if one is formulas[-1] and _ends(row, one) and _is_open(one):
                pending = one
            else:
                yield one
    if pending is not None:
        yield pending
    yield from _displays(alone, alone_bars, prose, body, right)


def _rows(glyphs: Sequence[Glyph], body: float) -> list[_Row]:
    lines: dict[int, list[Glyph]] = defaultdict(list)
    for one in glyphs:
        if one.font.kind != "ex" and one.symbol.part not in ("accent", "operator", "piece", "delimiter", "radical"):
            lines[round(one.y * 2)].append(one)
    merged: list[list[Glyph]] = []
    last = None
    for key in sorted(lines):
        if last is not None and key - last <= 1:
            merged[-1] += lines[key]
        else:
            merged.append(list(lines[key]))
        last = key
    rows = []
    for line in merged:
        size = max(_usual([one.size for one in line]), max(one.size for one in line) if len(line) < 4 else 0.0)
        large = [one for one in line if one.size >= 0.86 * size]
        if size < 0.86 * body and sum(len(word) > 1 for word in _text_words(line)) < 3:
            large = [one for one in line if one.size >= 0.86 * body]
            size = _usual([one.size for one in large]) if large else 0.0
        if large:
            y = sum(one.y for one in large) / len(large)
            rows.append(_Row(y, size, sorted(large, key=lambda one: one.x0)))
    return [row for row in rows if not any(_is_small_beside(row, other) for other in rows)]


def _is_small_beside(row: _Row, other: _Row) -> bool:
    """Whether ``row`` is of scripts of ``other``, whose type is larger."""
    if row.size >= 0.86 * other.size or abs(row.y - other.y) > 1.4 * other.size:
        return False
    near = other.x0 - other.size < row.x1 and row.x0 < other.x1 + other.size
    return near and sum(len(word) > 1 for word in _text_words(row.glyphs)) < 3


def _tokens(glyphs: Sequence[Glyph], size: float) -> list[list[Glyph]]:
    tokens: list[list[Glyph]] = []
    right = 0.0
    for one in sorted(glyphs, key=lambda one: one.x0):
        if tokens and one.x0 - right < _WORD_GAP * size:
            tokens[-1].append(one)
            right = max(right, one.x1)
        else:
            tokens.append([one])
            right = one.x1
    return tokens


def _text_words(glyphs: Sequence[Glyph]) -> list[str]:
    """Runs of letters of fonts for text."""
    words, right = [""], None
    for one in sorted(glyphs, key=lambda one: one.x0):
        is_letter = not one.is_math and one.symbol.sign.isalpha()
        if right is not None and one.x0 - right > _WORD_GAP * one.size:
            words.append("")
        if is_letter:
            words[-1] += one.symbol.sign
        elif words[-1]:
            words.append("")
        right = one.x1
    return [word for word in words if word]


def _is_word(token: Sequence[Glyph], borrowed: bool) -> bool:
    """Whether a token is a word of prose; scripts do not count."""
    largest = max(one.size for one in token)
    full = [one for one in token if one.size > 0.86 * largest]
    letters = [one for one in full if not one.is_math and one.symbol.sign.isalpha()]
    text = "".join(one.symbol.sign for one in full)
    if any(one.is_math for one in full):
        return len(letters) > 6 and len(letters) > 0.7 * len(full) and "(" not in text[1:]
    word = text.strip("".join(_LOOSE) + "()[]-–—")
    if not any(char.isalpha() for char in word):
        return False
    if word in FUNCTIONS or word in MORE_FUNCTIONS or len(letters) == 1 or _CALL.fullmatch(text):
        return False
    if borrowed and any(one.font.italic for one in letters):
        if all(one.font.italic for one in letters):
            return len(letters) > 3 and "(" not in text[1:]
        return not any(one.symbol.sign in "([=/|<>+" for one in full)
    if len(full) < len(token) and any(one.y > full[0].y + 0.05 * largest for one in token):
        return False  # type that is lowered: names of quantities, formulas of chemistry
    return not any(one.symbol.sign in RELATIONS or one.symbol.sign == "+" for one in full)


def _is_prose(row: _Row, borrowed: bool) -> bool:
    tokens = _tokens(row.glyphs, row.size)
    signs = "".join(one.symbol.sign for one in tokens[0])
    if len(tokens) > 1 and _LABEL.fullmatch(signs) and not any(one.is_math for one in tokens[0]):
        return True  # an item
    return any(
        _is_word(token, borrowed) and sum(one.symbol.sign.isalpha() and not one.is_math for one in token) > 1
        for token in tokens
    )


def _margins(prose: Sequence[_Row], glyphs: Sequence[Glyph]) -> tuple[float, float]:
    """The edges of a column: where most lines of prose begin, and the furthest end."""
    long = [row for row in prose if len(_tokens(row.glyphs, row.size)) > 3] or prose
    if not long:
        return min(one.x0 for one in glyphs), max(one.x1 for one in glyphs)
    starts = Counter(round(row.x0) for row in long)
    return float(starts.most_common(1)[0][0]), max(row.x1 for row in long)


def _continues(row: _Row, above: _Row, rows: Sequence[_Row], left: float, right: float) -> bool:
    """Whether a row without words is the last line of the paragraph ``above``."""
    leading = row.y - above.y
    usual = _leading(rows)
    begins = abs(row.x0 - left) < 2.5 or -2.5 < row.x0 - above.x0 < 2.5 * row.size
    centred = abs((row.x0 - left) - (right - row.x1)) < 0.5 * row.size and row.x0 - left > 2 * row.size
    return begins and not centred and 0 < leading < 1.25 * usual and above.x1 > right - 0.25 * (right - left)


def _is_centred(row: _Row, rows: Sequence[_Row], loose: Sequence[Glyph], left: float, right: float) -> bool:
    """Whether a row with words is a formula that stands in the middle of its column."""
    signs = "".join(one.symbol.sign for one in row.glyphs)
    words = [word for word in _text_words(row.glyphs) if len(word) > 1]
    if not any(one.is_math for one in row.glyphs) and not any(sign in RELATIONS for sign in signs):
        return False
    if _LABEL.match(signs) or signs.endswith(".") or (len(words) > 3 and not any(sign in RELATIONS for sign in signs)):
        return False
    near = [one for one in loose if abs((one.y0 + one.y1) / 2 - row.y + 0.25 * row.size) < 1.6 * row.size]
    near += [one for other in rows if not other.prose and abs(other.y - row.y) < 1.2 * row.size for one in other.glyphs]
    x0 = min(one.x0 for one in (*row.glyphs, *near))
    x1 = max(one.x1 for one in (*row.glyphs, *near))
    return x0 - left > 0.8 * row.size and abs((x0 - left) - (right - x1)) < 0.35 * row.size


def _leading(rows: Sequence[_Row]) -> float:
    steps = sorted(b.y - a.y for a, b in zip(rows, rows[1:], strict=False) if a.prose and b.prose)
    return steps[len(steps) // 4] if steps else 12.0


def _with_fractions(rows: Sequence[_Row], bars: Sequence[Bar]) -> list[_Row]:
    """``rows`` with numerators and denominators of full size, which are rows of their own, at the row of prose on whose
    axis their bar lies."""
    for row in (row for row in rows if row.prose):
        for bar in bars:
            if abs(row.y - bar.y - 0.25 * row.size) > 0.12 * row.size or not row.x0 - 20 < bar.x0 < row.x1 + 20:
                continue
            for other in rows:
                if other.prose or abs(other.y - bar.y) > 1.3 * row.size:
                    continue
                own = [one for one in other.glyphs if bar.x0 - 1 < (one.x0 + one.x1) / 2 < bar.x1 + 1]
                row.extra += own
                other.glyphs = [one for one in other.glyphs if one not in own]
    return [row for row in rows if row.glyphs]


def _attached(loose: Sequence[Glyph], rows: Sequence[_Row]) -> list[Glyph]:
    """Gives ``loose`` glyphs, in runs of one base line, to the rows that they stand at; the others are returned. What
    is near comes first: scripts of scripts are near to what is near a row."""
    runs, left = _runs(loose), []
    for most, high in ((0.3, 0.6), (0.3, 0.6), (0.7, 0.6), (0.3, 2.0), (1.3, 2.0), (1.3, 2.0)):
        left = []
        for run in runs:
            row = min(rows, key=lambda row: _cost(run, row, most, high), default=None)
            if row is None or _cost(run, row, most, high) >= FAR_AWAY:
                left.append(run)
            else:
                row.extra += run
        runs = left
    return [one for run in left for one in run]


FAR_AWAY = 1e6


def _runs(loose: Sequence[Glyph]) -> list[list[Glyph]]:
    runs: list[list[Glyph]] = []
    for one in sorted(loose, key=lambda one: (round(one.y), one.x0)):
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and abs(last.y - one.y) < 0.6
            and abs(last.size - one.size) < 0.3
            and one.x0 - last.x1 < 0.3 * one.size
            and (one.symbol.part == "ordinary") == (last.symbol.part == "ordinary")
        ):
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _cost(run: Sequence[Glyph], row: _Row, most: float, highest: float) -> float:
    """How far ``run`` is from where scripts and parts of fractions stand at ``row``, in points."""
    first = run[0]
    reach = 1.05 if row.prose else 2.4
    if first.symbol.part == "ordinary" and first.font.kind != "ex":
        up = (row.y - first.y) / row.size
        if not -0.72 * (reach if reach > 2 else 1) < up < reach:
            return FAR_AWAY
        high = abs(up - 0.1)
    else:
        high = abs(row.y / row.size - 0.25 - (min(one.y0 for one in run) + max(one.y1 for one in run)) / 2 / row.size)
        if high > (0.9 if row.prose else 2.0):
            return FAR_AWAY
    if high > highest:
        return FAR_AWAY
    x0, x1 = min(one.x0 for one in run), max(one.x1 for one in run)
    gap = min(max(other.x0 - x1, x0 - other.x1, 0.0) for other in (*row.glyphs, *row.extra))
    if gap > most * row.size:
        return FAR_AWAY
    return high * row.size + gap


def _bars_attached(bars: Sequence[Bar], rows: Sequence[_Row]) -> list[Bar]:
    """Gives bars to the rows of prose whose glyphs they are over, under or between; returns the others."""
    left = []
    for bar in bars:
        near = [row for row in rows if -0.5 * row.size < row.y - bar.y < 1.3 * row.size and _holds(row, bar)]
        row = min(near, key=lambda row: abs(row.y - bar.y - 0.3 * row.size), default=None)
        if row is not None and row.prose:
            row.bars.append(bar)
        else:
            left.append(bar)
    return left


def _holds(row: _Row, bar: Bar) -> bool:
    room = 0.9 * row.size
    return any(
        bar.x0 - 1 < (one.x0 + one.x1) / 2 < bar.x1 + 1 and one.y0 - room < bar.y < one.y1 + room
        for one in (*row.glyphs, *row.extra)
    )


def _inline(row: _Row, borrowed: bool) -> Iterator[Formula]:
    """The formulas within a row of prose."""
    tokens = _tokens([*row.glyphs, *row.extra], row.size)
    may = [_may_belong(token, row, borrowed) for token in tokens]
    gaps = [min(b.x0 for b in after) - max(a.x1 for a in before) for before, after in pairwise(tokens)]
    usual = sorted(gaps)[len(gaps) // 2] if gaps else 0.0
    for at in range(1, len(tokens) - 1):
        wide = min(gaps[at - 1 : at + 1], default=0.0)
        if not may[at] and may[at - 1] and may[at + 1] and 0.8 * row.size < wide < _FAR * row.size and wide > 1.6 * usual:
            may[at] = True  # a word set apart within a formula
    if borrowed:
        may = [one and not _is_emphasised(tokens, at) for at, one in enumerate(may)]
    for at in range(1, len(tokens)):
        before, after = tokens[at - 1], tokens[at]
        wide = gaps[at - 1] > row.size
        if not may[at] and may[at - 1] and not wide and _ends_open(before):
            may[at] = True  # a word behind a sign of calculation
        elif not may[at - 1] and may[at] and not wide and _is_sign(after) and before[-1].symbol.sign not in _LOOSE:
            may[at - 1] = True
    run: list[list[Glyph]] = []
    for at, token in enumerate(tokens):
        if run and (not may[at] or gaps[at - 1] > _FAR * row.size):
            yield from _trimmed(run, row, borrowed)
            run = []
        if may[at]:
            run.append(token)
    yield from _trimmed(run, row, borrowed)


def _is_emphasised(tokens: Sequence[Sequence[Glyph]], at: int) -> bool:
    """Whether a token of italic letters stands beside an italic word."""
    return _is_italic(tokens[at], 1) and any(_is_italic(one, 2) for one in (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2]))


def _is_italic(token: Sequence[Glyph], least: int) -> bool:
    """Whether a token is a word of so many italic letters of a font for text."""
    letters = [one for one in token if one.symbol.sign not in _LOOSE]
    return len(letters) >= least and all(
        one.font.italic and not one.is_math and one.symbol.sign.isalpha() and abs(one.y - letters[0].y) < 0.3 for one in letters
    )


def _ends_open(token: Sequence[Glyph]) -> bool:
    """Whether something must follow a token."""
    last = max(token, key=lambda one: one.x1)
    is_level = last.size > 0.86 * max(one.size for one in token)
    return is_level and last.symbol.sign in RELATIONS | BINARY and last.symbol.sign not in ":∙⋆∗∘"


def _is_sign(token: Sequence[Glyph]) -> bool:
    return all(one.symbol.sign in RELATIONS and one.symbol.sign != ":" for one in token) or (
        "".join(one.symbol.sign for one in token) == ":="
    )


def _may_belong(token: Sequence[Glyph], row: _Row, borrowed: bool) -> bool:
    return _is_certain(token, row, borrowed) or not _is_word(token, borrowed)


def _is_certain(token: Sequence[Glyph], row: _Row, borrowed: bool) -> bool:
    """Whether a token can only be part of a formula."""
    if _is_word(token, borrowed):
        return False
    if any(one.is_math and not _is_mark_of_text(one) for one in token):
        return True
    full = [one for one in token if one.size > 0.86 * row.size]
    letters = [one for one in full if one.symbol.sign.isalpha()]
    if borrowed and any(one.font.italic for one in letters):
        return len(letters) < 4 or any(one.symbol.sign in "([=" for one in full)
    if len(letters) != 1:
        return False
    sign, font = letters[0].symbol.sign, letters[0].font
    return len(full) < len(token) or font.bold or font.kind != "" or "\u0370" < sign < "\u03ff"


def _is_mark_of_text(one: Glyph) -> bool:
    """Signs that prose takes from fonts of symbols."""
    return one.symbol.sign in "∙•·†‡§¶©®∗"


def _trimmed(run: list[list[Glyph]], row: _Row, borrowed: bool) -> Iterator[Formula]:
    """A run of tokens as a formula, without what is prose's at its ends."""
    certain = [_is_certain(token, row, borrowed) for token in run]
    if not any(certain):
        return
    for at in range(1, len(run) - 1):
        signs = "".join(one.symbol.sign for one in run[at])
        certain[at] = certain[at] or (signs in RELATIONS and not signs.isalpha())
    first, last = certain.index(True), len(certain) - 1 - certain[::-1].index(True)
    while first > 0 and _opens(run[first - 1 : first + 1], row):
        first -= 1
    while last < len(run) - 1 and _closes(run[first : last + 2], row):
        last += 1
    glyphs = [one for token in run[first : last + 1] for one in token]
    while glyphs and not glyphs[-1].is_math and glyphs[-1].symbol.sign in _LOOSE and not _is_call_end(glyphs):
        glyphs.pop()
    while glyphs and not glyphs[0].is_math and glyphs[0].symbol.sign in "“\"‘,;":
        glyphs.pop(0)
    if not glyphs:
        return
    x0, x1 = min(one.x0 for one in glyphs), max(one.x1 for one in glyphs)
    bars = tuple(bar for bar in row.bars if bar.x0 > x0 - 3 and bar.x1 < x1 + 3)
    yield Formula(tuple(glyphs), bars, False)


def _is_call_end(glyphs: Sequence[Glyph]) -> bool:
    """Whether the point or sign at the end belongs to the formula: a factorial, an ellipsis."""
    signs = "".join(one.symbol.sign for one in glyphs[-4:])
    return signs.endswith(("...", "!")) and not signs.endswith(("....", "!!"))


def _opens(pair: Sequence[Sequence[Glyph]], row: _Row) -> bool:
    """Whether the first of two tokens, of figures, brackets or the name of a function, belongs to the second."""
    first, second = pair
    full = "".join(one.symbol.sign for one in first if one.size > 0.86 * row.size)
    if not full or full[-1] in ".,;:!?”’":
        return False
    following = second[0].symbol.sign
    signs = RELATIONS | BINARY | {"-"}
    if following in signs or full[-1] in signs or _unclosed(full) or full.lstrip("([") in FUNCTIONS | MORE_FUNCTIONS:
        return True
    near = second[0].x0 - max(one.x1 for one in first) < 0.26 * row.size
    return near and any(char.isdigit() for char in full) and not any(char.isalpha() for char in full)


def _closes(run: Sequence[Sequence[Glyph]], row: _Row) -> bool:
    """Whether the last of several tokens belongs to those before it."""
    last = "".join(one.symbol.sign for one in run[-1] if one.size > 0.86 * row.size).rstrip(".,;:")
    if not last:
        return "".join(one.symbol.sign for one in run[-1]) == "..."
    before = max(run[-2], key=lambda one: one.x1).symbol.sign
    signs = RELATIONS | BINARY | {"-"}
    whole = "".join(one.symbol.sign for token in run for one in token)
    inside = "".join(one.symbol.sign for token in run[:-1] for one in token)
    if last[0] == "(" and last[1:] in MORE_FUNCTIONS:
        return True
    if before in signs or (last[-1] in ")]}" and _unclosed(inside) and _balanced(whole)) or _unclosed(inside):
        return True
    return last[0] in signs or (inside.endswith(",") and len(last) < 4)


def _unclosed(text: str) -> bool:
    return any(text.count(a) > text.count(b) for a, b in _BRACKETS.items())


def _balanced(text: str) -> bool:
    return all(text.count(a) >= text.count(b) for a, b in _BRACKETS.items())


def _begins(row: _Row, formula: Formula) -> bool:
    return min(one.x0 for one in formula.glyphs) < row.x0 + 1


def _ends(row: _Row, formula: Formula) -> bool:
    return max(one.x1 for one in formula.glyphs) > max(one.x1 for one in [*row.glyphs, *row.extra]) - 1


def _is_open(formula: Formula) -> bool:
    """Whether something must follow: TeX breaks formulas behind a relation, a sign of calculation or a comma."""
    last = max(formula.glyphs, key=lambda one: one.x1)
    text = "".join(one.symbol.sign for one in formula.glyphs)
    return last.symbol.sign in RELATIONS | BINARY | {"-"} or (last.symbol.sign in ",…." and last.is_math) or _unclosed(text)


def _displays(
    alone: Sequence[Glyph], bars: Sequence[Bar], prose: Sequence[_Row], body: float, right: float
) -> Iterator[Formula]:
    """Formulas that stand alone, parted where white runs across, or a row of prose."""
    pieces: list[tuple[float, float, Glyph | Bar]] = [(one.y0, one.y1, one) for one in alone]
    pieces += [(bar.y, bar.y, bar) for bar in bars]
    groups: list[list[Glyph | Bar]] = []
    bottom = 0.0
    for y0, y1, one in sorted(pieces, key=lambda piece: piece[0]):
        parted = any(bottom <= row.y - 0.3 * row.size <= y0 for row in prose)
        if groups and y0 - bottom < ROWS_APART * body and not parted:
            groups[-1].append(one)
            bottom = max(bottom, y1)
        else:
            groups.append([one])
            bottom = y1
    for group in _aligned_together(groups, body):
        glyphs = [one for one in group if isinstance(one, Glyph)]
        own_bars = tuple(one for one in group if isinstance(one, Bar))
        if not glyphs:
            continue
        number = _number_of(glyphs, body, right)
        glyphs = [one for one in glyphs if one not in number]
        if _is_formula(glyphs):
            yield Formula(tuple(glyphs), own_bars, True, tuple(number))


def _aligned_together(groups: Sequence[list[Glyph | Bar]], body: float) -> list[list[Glyph | Bar]]:
    """``groups`` with those as one that are lines of a derivation: near, with their relations below each other."""
    joined: list[list[Glyph | Bar]] = []
    for group in groups:
        above = _glyphs_in(joined[-1]) if joined else []
        below = _glyphs_in(group)
        if above and below:
            gap = min(one.y0 for one in below) - max(one.y1 for one in above)
            if gap < APART * body and _relations(above) & _relations(below):
                joined[-1] += group
                continue
        joined.append(list(group))
    return joined


def _glyphs_in(group: Sequence[Glyph | Bar]) -> list[Glyph]:
    return [one for one in group if isinstance(one, Glyph)]


def _relations(glyphs: Sequence[Glyph]) -> set[int]:
    """Where relations begin, in points and a point to either side."""
    size = max(one.size for one in glyphs)
    places = {round(one.x0) for one in glyphs if one.symbol.sign in RELATIONS - {":"} and one.size > 0.86 * size}
    return places | {place + 1 for place in places}


def _number_of(glyphs: Sequence[Glyph], body: float, right: float) -> list[Glyph]:
    """The glyphs of a formula's number at the right edge."""
    tokens = _tokens([one for one in glyphs if one.symbol.part == "ordinary"], body)
    if len(tokens) < 2:
        return []
    last, before = tokens[-1], max(one.x1 for token in tokens[:-1] for one in token)
    text = "".join(one.symbol.sign for one in last)
    is_number = text[0] == "(" and text[-1] == ")" and any(char.isdigit() for char in text) and len(text) < 9
    if is_number and last[0].x0 - before > 1.5 * body and max(one.x1 for one in last) > right - 2 and not any(
        one.is_math and one.symbol.alphabet == "it" for one in last
    ):
        return last
    return []


def _is_formula(glyphs: Sequence[Glyph]) -> bool:
    """Whether glyphs that stand alone are a formula and no page number, bullet or label."""
    if not glyphs:
        return False
    if len(glyphs) == 1 and not glyphs[0].symbol.sign.isalnum():
        return False  # the end of a proof
    if any(one.is_math and not _is_mark_of_text(one) for one in glyphs):
        return True
    text = "".join(one.symbol.sign for one in glyphs)
    letters = any(char.isalnum() for char in text)
    return letters and any(char in RELATIONS or char in "+" for char in text)
