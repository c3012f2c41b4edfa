"""Finds a page's title among its headings: PyMuPDF's layout model calls every heading a section header, and now and
then the end of a sentence at the top of a page, or a line of a letter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

from docspec.core import BBox, Category, Region
from docspec.core.draft import stacked
from docspec.core.geometry import runs_of
from docspec.core.scripts import UNSPACED
from docspec.drafting.line_ends import are_apart

OVER_TEXT, OVER_HEADINGS = 1.5, 1.1
"""Least ratio of a title's size of type to that of running text, and of all other headings. LaTeX's and Word's headings
of the first level are 1.45 times as large as the text."""


OVER_TITLE = 1.05
"""Size of type of a heading below a title over the title's from which on that is none."""

LARGER = 1.1
"""Size of type over that of running text from which on a heading is one, whatever it says."""

COMMON = 0.1
"""Least share of the characters of running text of a size, or of a size and look, that is one of the text's."""

SENTENCE = 4
"""Fewest words of a sentence."""

MANY, FEW = 0.4, 0.34
"""Least share of headings among lines of one style for all of them to be headings, and share of them below which none
is."""

LONGEST = 12
"""Most words of a line that is a heading as others of its style are."""

HEADING_APART = 0.8
"""Most white between two lines of one heading, in heights of a line."""

PROSE = 3
"""Least lines of text that shows which styles running text has."""

_NUMBERED = re.compile(
    r"(?:[\[(§]|Chapter |Section )?\s*(?:\d+|[IVXLC]+|[A-Za-z])[.):\]\s]|§|第|[一二三四五六七八九十]+、"
)
"""How a heading begins that has a number or a letter."""

_PART = re.compile(r".*[,;]|[a-zß-öø-ÿ].*[.!?]|(\[[ x]\]|[^\w\[])+", re.DOTALL)
"""What ends with a comma, or ends a sentence that it does not begin, or holds nothing but boxes to tick and signs."""


_CAPTION = re.compile(
    r"(?i:fig(?:ure|\.)|table|abb(?:ildung|\.)|tab\.|tabelle|tableau|figura|tabla)\s*\d+(?:\.\d+)*[.:]\s"
)
"""How a caption begins: a word for a figure or a table with its number."""


def without_parts(regions: Sequence[Region]) -> list[Region]:
    """``regions`` in which headings in type as small as some of the text are captions if they begin so, and text if
    they are a part of a sentence or a whole one, lines of an address that are not bold, or look as text of their size
    does."""
    running = [region for region in regions if region.category.is_running_text and not region.listing]
    styles = _styles(running)
    common = {style for style, count in styles.items() if count >= COMMON * styles.total()}
    largest = max([_size(running), *(size for size, _ in common)])
    whole = BBox.union(region.bbox for region in running) if running else None

    def settled(region: Region) -> Region:
        size = _size([region])
        if region.category is not Category.SECTION_HEADER or not region.texts or not 0 < size < LARGER * largest:
            return region
        if _CAPTION.match(region.texts[0]):
            return replace(region, category=Category.CAPTION)
        text = region.texts[0].strip()
        is_usual = any(look and (size, look) in common for size, look in _styles([region]))
        looks_alike = is_usual and not text.isupper() and not _NUMBERED.match(text)
        is_plain = not _is_bold(region) and (
            are_apart(region, regions) or (looks_alike and not _is_centred(region.bbox, whole))
        )
        return replace(region, category=Category.TEXT) if is_plain or _is_sentence(text) else region

    return list(map(settled, regions))


def with_alike(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which lines that stand alone in one style, of which running text has nothing, are all headings if
    many of them are, and none if few are: a layout model decides on each by itself. What has no word is no heading."""
    prose = [one for one in regions if one.category.is_running_text and not one.listing and len(one.lines) >= PROSE]
    usual = _styles(prose)
    common = {style for style, count in usual.items() if count >= COMMON * usual.total()}
    groups: dict[tuple[float, str, bool], list[int]] = {}
    result = list(regions)
    for at, region in enumerate(regions):
        is_head = region.category is Category.SECTION_HEADER
        if is_head and region.texts and not _has_word(region.texts[0]):
            result[at] = replace(region, category=Category.TEXT)
        elif is_head or (region.category is Category.TEXT and len(region.lines) == 1 and not region.listing):
            [(style, _)] = _styles([region]).most_common(1) or [((0.0, ""), 0)]
            if style[1] and style not in common and not (is_head and _NUMBERED.match(region.texts[0])):
                groups.setdefault((*style, _is_bold(region)), []).append(at)
    for own in groups.values():
        share = sum(regions[at].category is Category.SECTION_HEADER for at in own) / len(own)
        for at in own if 0 < share < 1 else ():
            if share >= MANY and _may_head(regions[at]):
                result[at] = replace(regions[at], category=Category.SECTION_HEADER)
            elif share < FEW:
                result[at] = replace(regions[at], category=Category.TEXT)
    return result


def _has_word(text: str) -> bool:
    """Whether ``text`` has two letters, or one sign of a script without spaces between words."""
    return sum(map(str.isalpha, text)) > 1 or UNSPACED.search(text) is not None


def _may_head(region: Region) -> bool:
    text = region.texts[0].strip()
    is_short = _has_word(text) and len(text.split()) <= LONGEST and not any(line.turns for line in region.lines)
    return is_short and not _is_sentence(text) and _CAPTION.match(text) is None


def _is_sentence(text: str) -> bool:
    """Whether the words of a heading are a part of a sentence, or a sentence without a number that ends with a full
    stop."""
    is_whole = text.endswith(".") and len(text.split()) >= SENTENCE and any(map(str.islower, text))
    return _PART.fullmatch(text) is not None or (is_whole and not _NUMBERED.match(text))


def _is_centred(box: BBox, whole: BBox | None) -> bool:
    """Whether a heading stands at the middle of the ``whole`` text, away from its edges."""
    apart = min(box.x0 - whole.x0, whole.x1 - box.x1) if whole is not None else 0.0
    return apart > 2 * box.height and whole is not None and abs(box.center_x - whole.center_x) < box.height


def _styles(regions: Iterable[Region]) -> Counter[tuple[float, str]]:
    """How many characters are set in which size and look."""
    styles: Counter[tuple[float, str]] = Counter()
    for line in (line for region in regions for line in region.lines):
        styles[round(2 * line.size) / 2, line.look] += len(line.text)
    return styles


def _is_bold(region: Region) -> bool:
    return any(mark.kind == "bold" for line in region.lines for mark in line.marks)


def with_title(regions: Sequence[Region]) -> list[Region]:
    """``regions`` with the heading that is set in the largest type, if that is far larger than all else and stands in
    the upper half of the print, as the title; or such words of a page without headings, as of a cover. Where the layout
    knows a title, or sizes of type are unknown, nothing is changed: but what is smaller than a heading further down is
    no title."""
    regions = _without_small_titles(regions)
    headings = [region for region in regions if region.category is Category.SECTION_HEADER and _size([region])]
    running = [region for region in regions if region.category.is_running_text and not region.listing]
    if not headings:
        headings = [max(running, key=lambda region: _size([region]))] if running else []
        running = [region for region in running if region not in headings]
        headings = [region for region in headings if _may_head(region)]
        body = max((_size([region]) for region in running), default=0.0)
    else:
        body = _size(running)
    if not headings or not body or any(region.category is Category.TITLE for region in regions):
        return list(regions)
    *others, title = sorted(headings, key=lambda region: _size([region]))
    top, bottom = min(region.bbox.y0 for region in regions), max(region.bbox.y1 for region in regions)
    large = _size([title]) >= max(OVER_TEXT * body, OVER_HEADINGS * _size(others[-1:]))
    if not large or title.bbox.y0 > (top + bottom) / 2:
        return list(regions)
    return [replace(region, category=Category.TITLE) if region is title else region for region in regions]


def _without_small_titles(regions: Sequence[Region]) -> list[Region]:
    result, largest = list(regions), 0.0
    for at in reversed(range(len(result))):
        region, size = result[at], _size([result[at]])
        if region.category is Category.TITLE and 0 < OVER_TITLE * size < largest:
            result[at] = replace(region, category=Category.SECTION_HEADER)
        elif region.category is Category.SECTION_HEADER:
            largest = max(largest, size)
    return result


def with_whole_headings(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which a heading that goes on in small letters in the next one, right below it, is one with it."""
    return [run[0] if len(run) == 1 else stacked(run) for run in runs_of(regions, _goes_on)]


def _goes_on(above: Region, below: Region) -> bool:
    if not (above.category.is_heading and above.category is below.category and above.lines and below.lines):
        return False
    a, b = above.lines[-1], below.lines[0]
    font, other = (line.look.removesuffix(" underlined") for line in (a, b))  # a part of the line may be
    right_below = -0.5 < (b.bbox.y0 - a.bbox.y1) / a.bbox.height < HEADING_APART
    like = font == other and abs(a.size - b.size) < 0.05 * a.size
    aligned = min(abs(a.bbox.x0 - b.bbox.x0), abs(a.bbox.center_x - b.bbox.center_x)) < a.bbox.height
    return b.text[:1].islower() and like and right_below and aligned


def _size(regions: Iterable[Region]) -> float:
    """The size of type of most characters; 0 without characters or if it is unknown."""
    return median([line.size for region in regions for line in region.lines for _ in line.text] or [0.0])


def with_level(region: Region, bookmarks: Sequence[tuple[int, str]]) -> Region:
    """A heading with the level of the bookmark (level, title) that has its words, numbers and signs aside."""
    if not region.category.is_heading or not region.texts:
        return region
    own = _letters(region.texts[0])
    level = next((level for level, title in bookmarks if own and _letters(title) == own), 0)
    return replace(region, level=level)


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.casefold()))
