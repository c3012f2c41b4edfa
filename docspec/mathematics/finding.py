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
    in_rows = {id(one) for row in rows for one in row.glyphs}
    loose = [one for one in glyphs if id(one) not in in_rows]
    for row in rows:
        row.prose = row.prose and not _is_centred(row, rows, loose, left, right)
    prose = [row for row in rows if row.prose]
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
    letters = [one for one in token if not one.is_math and one.symbol.sign.isalpha()]
    if any(one.is_math for one in token):
        return len(letters) > 6 and len(letters) > 0.7 * len(token)
    word = "".join(one.symbol.sign for one in token).strip("".join(_LOOSE) + "()[]-–—")
    if not any(char.isalpha() for char in word):
        return False
    if word in FUNCTIONS or word in MORE_FUNCTIONS or len(letters) == 1:
        return False
    if borrowed and any(one.font.italic for one in letters):
        if all(one.font.italic for one in letters):
            return len(letters) > 3
        return not any(one.symbol.sign in "([=" for one in token)
    return not any(one.symbol.sign in RELATIONS or one.symbol.sign == "+" for one in token)


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


def _is_centred(row: _Row, rows: Sequence[_Row], loose: Sequence[Glyph], left: float, right: float) -> bool:
    """Whether a row with words is a formula that stands in the middle of its column."""
    signs = "".join(one.symbol.sign for one in row.glyphs)
    words = [word for word in _text_words(row.glyphs) if len(word) > 1]
    if not any(one.is_math for one in row.glyphs) and not any(sign in RELATIONS for sign in signs):
        return False
    if len(words) > 3 and not any(sign in RELATIONS for sign in signs):
        return False
    near = [one for one in loose if abs((one.y0 + one.y1) / 2 - row.y + 0.25 * row.size) < 1.6 * row.size]
    near += [one for other in rows if not other.prose and abs(other.y - row.y) < 1.2 * row.size for one in other.glyphs]
    x0 = min(one.x0 for one in (*row.glyphs, *near))
    x1 = max(one.x1 for one in (*row.glyphs, *near))
    return x0 - left > 0.8 * row.size and abs((x0 - left) - (right - x1)) < 0.35 * row.size


def _leading(rows: Sequence[_Row]) -> float:
    steps = sorted(b.y - a.y for a, b in zip(rows, rows[1:], strict=False) if a.prose and b.prose)
    return steps[len(steps) // 4] if steps else 12.0


def _attached(loose: Sequence[Glyph], rows: Sequence[_Row]) -> list[Glyph]:
    """Gives ``loose`` glyphs, in runs of one base line, to the rows that they stand at; the others are returned. What
    is near comes first: scripts of scripts are near to what is near a row."""
    runs, left = _runs(loose), []
    for most in (0.3, 0.3, 0.7, 1.3, 1.3):
        left = []
        for run in runs:
            row = min(rows, key=lambda row: _cost(run, row, most), default=None)
            if row is None or _cost(run, row, most) >= FAR_AWAY:
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


def _cost(run: Sequence[Glyph], row: _Row, most: float) -> float:
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
    letters = [one for one in token if one.symbol.sign.isalpha()]
    if borrowed and any(one.font.italic for one in letters):
        return len(letters) < 4 or any(one.symbol.sign in "([=" for one in token)
    scripts = any(one.size < 0.86 * row.size for one in token)
    return len(letters) == 1 and (scripts or letters[0].font.bold or "\u0370" < letters[0].symbol.sign < "\u03ff")


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
