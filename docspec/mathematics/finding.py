"""Finds the formulas of a page: those that stand alone, and those within lines of prose.

Rows are base lines with type of a full size. A row with words is prose, and formulas within it reach as far as its
tokens are of fonts for mathematics, or of figures, brackets and signs beside such. Rows without words that do not begin
where the lines of their column begin stand alone, with all that lies around them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from docspec.mathematics.columns import columns_of_page
from docspec.mathematics.glyphs import Bar, Glyph
from docspec.mathematics.spelling import BINARY, FUNCTIONS, MORE_FUNCTIONS, RELATIONS

APART = 1.6
"""White, in sizes of type, between two formulas that stand alone."""

_WORD_GAP = 0.17
_FAR = 2.3
"""Gaps between tokens, and the widest within a formula, in sizes of type."""

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
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
    alone = [one for row in rows if not row.prose for one in row.glyphs]
    in_rows = {id(one) for row in rows for one in row.glyphs}
    loose = [one for one in glyphs if id(one) not in in_rows]
    alone += _attached(loose, prose, alone)
    alone_bars = _bars_attached(bars, prose, alone)
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
    yield from _displays(alone, alone_bars, body, left, right)


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
        words = sum(len(word) > 1 for word in _text_words(line))
        if size < 0.86 * body and words < 3:
            large = [one for one in line if one.size >= 0.86 * body]
            if not large:
                continue
            line, size = large, _usual([one.size for one in large])
        line = [one for one in line if one.size >= 0.86 * size]
        rows.append(_Row(sum(one.y for one in line) / len(line), size, sorted(line, key=lambda one: one.x0)))
    return rows


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
    """Whether a token is a word of prose."""
    if any(one.is_math for one in token):
        letters = [one for one in token if not one.is_math and one.symbol.sign.isalpha()]
        return len(letters) > 6 and len(letters) > 0.7 * len(token)
    word = "".join(one.symbol.sign for one in token).strip("".join(_LOOSE) + "()[]-–—")
    if not any(char.isalpha() for char in word):
        return False
    if word in FUNCTIONS or word in MORE_FUNCTIONS:
        return False
    letters = [one for one in token if one.symbol.sign.isalpha()]
    if borrowed and all(one.font.italic for one in letters):
        return len(letters) > 3
    if any(one.symbol.sign in RELATIONS or one.symbol.sign in "+" for one in token):
        return False
    return True


def _is_prose(row: _Row, borrowed: bool) -> bool:
    tokens = _tokens(row.glyphs, row.size)
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
    return abs(row.x0 - left) < 2.5 and 0 < leading < 1.25 * usual and above.x1 > right - 0.25 * (right - left)


def _leading(rows: Sequence[_Row]) -> float:
    steps = sorted(b.y - a.y for a, b in zip(rows, rows[1:], strict=False) if a.prose and b.prose)
    return steps[len(steps) // 4] if steps else 12.0


def _attached(loose: Sequence[Glyph], prose: Sequence[_Row], alone: Sequence[Glyph]) -> list[Glyph]:
    """Gives ``loose`` glyphs to the row of prose that they stand at; the others stand alone."""
    left = []
    for one in loose:
        best, least = None, 1e9
        for row in prose:
            up = row.y - 0.25 * row.size - (one.y0 + one.y1) / 2
            if not -1.0 * row.size < up < 1.3 * row.size:
                continue
            beside = min((max(other.x0 - one.x1, one.x0 - other.x1, 0.0) for other in row.glyphs), default=1e9)
            near = abs(up) + max(beside - 0.3 * row.size, 0.0)
            if beside < 1.5 * row.size and near < least:
                best, least = row, near
        other = min((_distance(one, glyph) for glyph in alone), default=1e9)
        if best is None or other < 0.5 * least - 2:
            left.append(one)
        else:
            best.extra.append(one)
    return left


def _distance(one: Glyph, other: Glyph) -> float:
    across = max(other.x0 - one.x1, one.x0 - other.x1, 0.0)
    return float(across + max(other.y0 - one.y1, one.y0 - other.y1, 0.0))


def _bars_attached(bars: Sequence[Bar], prose: Sequence[_Row], alone: Sequence[Glyph]) -> list[Bar]:
    left = []
    for bar in bars:
        own = [one for one in alone if one.x0 < bar.x1 and one.x1 > bar.x0 and abs(one.y0 - bar.y) < 2 * one.size]
        row = next((row for row in prose if -0.4 * row.size < row.y - bar.y < 1.2 * row.size and row.x0 - 9 < bar.x0
                    and bar.x1 < row.x1 + 9), None)  # fmt: skip
        if row is not None and not own:
            row.bars.append(bar)
        else:
            left.append(bar)
    return left


def _inline(row: _Row, borrowed: bool) -> Iterator[Formula]:
    """The formulas within a row of prose."""
    tokens = _tokens([*row.glyphs, *row.extra], row.size)
    run: list[list[Glyph]] = []
    right = 0.0
    for token in [*tokens, []]:
        far = bool(run and token) and min(one.x0 for one in token) - right > _FAR * row.size
        if not token or far or not _may_belong(token, row, borrowed):
            yield from _trimmed(run, row, borrowed)
            run = []
            if not token or not _may_belong(token, row, borrowed):
                continue
        run.append(token)
        right = max(one.x1 for one in token)


def _may_belong(token: Sequence[Glyph], row: _Row, borrowed: bool) -> bool:
    return _is_certain(token, row, borrowed) or not _is_word(token, borrowed)


def _is_certain(token: Sequence[Glyph], row: _Row, borrowed: bool) -> bool:
    """Whether a token can only be part of a formula."""
    if _is_word(token, borrowed):
        return False
    if any(one.is_math and not _is_mark_of_text(one) for one in token):
        return True
    if borrowed and any(one.font.italic and one.symbol.sign.isalpha() for one in token):
        return len([one for one in token if one.symbol.sign.isalpha()]) < 4
    return False


def _is_mark_of_text(one: Glyph) -> bool:
    """Signs that prose takes from fonts of symbols."""
    return one.symbol.sign in "∙•·†‡§¶©®∗"


def _trimmed(run: list[list[Glyph]], row: _Row, borrowed: bool) -> Iterator[Formula]:
    """A run of tokens as a formula, without what is prose's at its ends."""
    while run and not _is_certain(run[0], row, borrowed) and not _opens(run):
        run = run[1:]
    while run and not _is_certain(run[-1], row, borrowed) and not _closes(run):
        run = run[:-1]
    if not run:
        return
    glyphs = [one for token in run for one in token]
    while glyphs and not glyphs[-1].is_math and glyphs[-1].symbol.sign in _LOOSE:
        glyphs.pop()
    while glyphs and not glyphs[0].is_math and glyphs[0].symbol.sign in "“\"‘,;":
        glyphs.pop(0)
    if not glyphs:
        return
    x0, x1 = min(one.x0 for one in glyphs), max(one.x1 for one in glyphs)
    bars = tuple(bar for bar in row.bars if bar.x0 > x0 - 3 and bar.x1 < x1 + 3)
    yield Formula(tuple(glyphs), bars, False)


def _opens(run: Sequence[Sequence[Glyph]]) -> bool:
    """Whether the first token, of figures or brackets, belongs to what follows: it is near, and joined by a sign or a
    bracket."""
    first = "".join(one.symbol.sign for one in run[0])
    if len(run) == 1 or first[-1:] in ".,;:" or (first[-1:] in _LOOSE):
        return False
    following = run[1][0].symbol.sign
    if following in RELATIONS | BINARY or first[-1] in RELATIONS | BINARY or _unclosed(first) or first in FUNCTIONS:
        return True
    return first in MORE_FUNCTIONS or (first.isdigit() and run[1][0].x0 - run[0][-1].x1 < 0.3 * run[0][0].size)


def _closes(run: Sequence[Sequence[Glyph]]) -> bool:
    last = "".join(one.symbol.sign for one in run[-1]).rstrip(".,;:")
    if len(run) == 1 or not last:
        return False
    before = run[-2][-1].symbol.sign
    whole = "".join(one.symbol.sign for token in run for one in token)
    return before in RELATIONS | BINARY or (last[-1] in ")]}" and _balanced(whole)) or last in ("...", "…")


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


def _displays(alone: Sequence[Glyph], bars: Sequence[Bar], body: float, left: float, right: float) -> Iterator[Formula]:
    """Formulas that stand alone, parted where white runs across."""
    pieces: list[tuple[float, float, Glyph | Bar]] = [(one.y0, one.y1, one) for one in alone]
    pieces += [(bar.y, bar.y, bar) for bar in bars]
    groups: list[list[Glyph | Bar]] = []
    bottom = 0.0
    for y0, y1, one in sorted(pieces, key=lambda piece: piece[0]):
        if groups and y0 - bottom < APART * body:
            groups[-1].append(one)
            bottom = max(bottom, y1)
        else:
            groups.append([one])
            bottom = y1
    for group in groups:
        glyphs = [one for one in group if isinstance(one, Glyph)]
        own_bars = tuple(one for one in group if isinstance(one, Bar))
        if not glyphs:
            continue
        number = _number_of(glyphs, body, right)
        glyphs = [one for one in glyphs if one not in number]
        if _is_formula(glyphs):
            yield Formula(tuple(glyphs), own_bars, True, tuple(number))


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
    if any(one.is_math and not _is_mark_of_text(one) for one in glyphs):
        return True
    text = "".join(one.symbol.sign for one in glyphs)
    letters = any(char.isalnum() for char in text)
    return letters and any(char in RELATIONS or char in "+" for char in text)
