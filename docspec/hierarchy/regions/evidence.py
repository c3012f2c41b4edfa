"""Words that stand unread (``--words evidence``): those of a sound text layer, and recognised lines with high
confidence (any recognised line if the model reads uncertain ones no better). Their regions get no crop; the model reads
the other regions.

Recognised text in a script that no reader here knows is no text: a recogniser writes Latin letters without sense
for it, or digits and punctuation only.

The model's card says which kinds of region it reads better than text layer and recogniser (``reads``); docs/words.md
has the measurement behind the bundled reader's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from statistics import median

from docspec.core import Block, Category, Event, Region
from docspec.core.draft import certainty_of
from docspec.core.formulas import bare_formula
from docspec.core.marks import Mark, carried, merged, shifted
from docspec.core.scripts import scripts_of
from docspec.dialects.tables import parse_table, to_html, to_pipe
from docspec.dialects.text import clean, join_cells, split_items
from docspec.hierarchy.regions.joining import laid_out
from docspec.hierarchy.regions.slices import Slice
from docspec.targets.model_profile import KINDS, UNSURE, ModelProfile

SURE = 0.8
"""Least confidence (0..1) of a recognised line that stands."""

FOREIGN = 0.2
"""Least share of letters in scripts that the reader does not write for which a text is foreign to it."""

LEGIBLE = 0.6
"""Certainty (0..1) below which recognised text is not text. Thai, Hindi and Hebrew came to 0.5 and less; the worst
columns of a newspaper of 1905 to 0.8."""

LONG = 12
"""Least number of characters by which a region is judged on its own; shorter ones are judged by their page."""

_STRUCK = re.compile("~~(.+?)~~")

_KIND_OF = {category: kind for kind, category in KINDS.items()}


def known_texts(regions: Sequence[Region], card: ModelProfile) -> dict[int, str]:
    """The Markdown of the regions that a model with ``card`` does not read, by their numbers: words that stand, and
    labels in pictures."""
    found = {}
    around = "\n\n".join(clean(region.texts[0]) for region in regions if region.texts)
    for number, region in enumerate(regions):
        if not asked_for(region, card):
            found[number] = labels_of(region)
        elif stands(region, card):
            found[number] = known_text(region, around)
    return {number: text for number, text in found.items() if text}


def asked_for(region: Region, card: ModelProfile) -> bool:
    """Whether a model with ``card`` reads anything in ``region``: no model reads a picture that is not a chart."""
    return region.category is not Category.PICTURE or (region.chart and card.reads_charts)


def known_words(known: Mapping[int, str], regions: Sequence[Region]) -> tuple[Event, ...]:
    """The event about ``known`` texts of ``regions``: how many stand, and their sources."""
    if not known:
        return ()
    sources = Counter(regions[number].words or "draft" for number in known)
    told = ", ".join(f"{count} from {source}" for source, count in sorted(sources.items()))
    return (Event("words_stand", f"{len(known)} of {len(regions)} regions were not read by the model: {told}"),)


def unread_pictures(blocks: Sequence[Block], happened: Collection[str] = ()) -> tuple[Event, ...]:
    """The event about pictures in which neither the model nor the drafter looked for text. If the drafter failed (an
    event in ``happened``), they may be dense print rather than pictures."""
    count = sum(block.unread for block in blocks)
    if not count:
        return ()
    pictures = f"{count} picture{'' if count == 1 else 's'}"
    if "drafter_failed" in happened:
        lost = f"the drafter failed, and nobody looked for text in {pictures}; some of the page may be missing"
        return (Event("page_unread", lost),)
    return (Event("pictures_unread", f"nobody looked for text in {pictures} (--drafter auto does)"),)


def stands(region: Region, card: ModelProfile) -> bool:
    """Whether the words of ``region`` are known well enough that a model with ``card`` does not read it."""
    if not region.texts:
        return False
    if region.category is not Category.FORMULA and is_foreign(region.texts[0], card):
        return True  # sound or not: the model has no letters for it
    if region.words is None:
        return False
    if region.category is not Category.TEXT and _KIND_OF.get(region.category) in card.reads:
        return False
    return region.words == "text layer" or UNSURE not in card.reads or is_sure(region)


def is_foreign(text: str, card: ModelProfile) -> bool:
    """Whether ``text`` is largely in scripts that a model with ``card`` does not write."""
    scripts = scripts_of(text) if card.scripts else Counter()
    return sum(count for script, count in scripts.items() if script not in card.scripts) > FOREIGN * scripts.total()


def is_sure(region: Region) -> bool:
    """Whether the recogniser was sure of every line of ``region``."""
    least = min((line.confidence for line in region.lines), default=region.confidence)
    return least >= SURE


def without_illegible(regions: Sequence[Region]) -> list[Region]:
    """``regions``, with those turned into pictures whose recognised text is not legible."""
    page = certainty_of(line for one in regions if one.words == "recognition" for line in one.lines)
    poor = page is not None and page < LEGIBLE
    return [
        Region(one.bbox, Category.PICTURE) if one.words == "recognition" and _is_illegible(one, poor) else one
        for one in regions
    ]


def _is_illegible(region: Region, poor: bool) -> bool:
    """Whether the recognised text of a region with lines is not legible. Lines with room for more letters count only on
    a ``poor`` page: entries of forms and of tables of contents have such room, too."""
    if poor:
        certainty = certainty_of(region.lines)
        return certainty is not None and certainty < LEGIBLE
    characters = sum(len(line.text) for line in region.lines)
    return characters >= LONG and sum(line.confidence * len(line.text) for line in region.lines) < LEGIBLE * characters


def known_text(region: Region, around: str = "") -> str:
    """The Markdown of a region whose words stand, on a page with the text ``around`` it."""
    text = clean(region.texts[0], spaces=region.listing)
    if region.category is Category.TABLE:
        table = parse_table(join_cells(text))
        if table is None:
            return text
        headless = table.head_rows == 0
        if table.spans:  # pipes have no cells that span
            return _STRUCK.sub(r"<s>\1</s>", to_html(table, "none" if headless else "auto"))
        return to_pipe(table, headless=headless)
    if region.category is Category.FORMULA:
        bare = bare_formula(text)
        if "$" not in bare and any(mark.target == "display" for line in region.lines for mark in line.marks):
            return f"$$\n{bare}\n$$"
        return (
            bare  # signs in a row, or words with a formula between them, not LaTeX: no marks of a formula around them
        )
    places = [line.bbox for line in region.lines]
    lines = text.split("\n")
    if len(places) != len(lines):
        lines, places = [text], [region.bbox]
    pieces = [(line, Slice(place, 1.0)) for line, place in zip(lines, places, strict=True)]
    return laid_out(region, pieces, printed=True, around=around)


def known_block(region: Region, text: str) -> Block:
    """``region``, whose words stand, as a block with its ``text`` and typography."""
    return Block(
        region.category,
        text,
        region.bbox,
        "draft",
        words=region.words or "draft",
        marks=_marks_of(region, text),
        level=region.level,
        points=points_of(region),
        indents=_indents(region, text) if region.category is Category.LIST_ITEM else (),
        running=region.running,
    )


def points_of(region: Region) -> float:
    """The size of type, on paper, of a heading or of running text (0: unknown)."""
    sizes = [line.points for line in region.lines]
    if not sizes or not (region.category.is_heading or region.category.is_running_text):
        return 0.0
    return round(max(sizes) if region.category.is_heading else median(sizes), 2)


def _marks_of(region: Region, text: str) -> tuple[Mark, ...]:
    """The typographic marks of ``text``, the Markdown of ``region``; for tables the links only."""
    if region.listing:
        return ()
    if region.category is Category.TABLE:
        return _found_links(region.links, text)
    drafted, marks = marked_text(region)
    if region.category is Category.PICTURE:  # labels are names: how they are printed does not matter
        marks = tuple(mark for mark in marks if mark.kind == "formula")
    return merged(carried(marks, drafted, text), text)


def _found_links(links: Sequence[tuple[str, str]], text: str) -> tuple[Mark, ...]:
    """``links`` at the positions of their words in ``text``, searched in order; links whose words are missing are
    dropped."""
    found, at = list[Mark](), 0
    for words, target in links:
        own = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)").search(text, at)
        if own is not None:
            found.append(Mark("link", own.start(), own.end(), target))
            at = own.end()
    return tuple(found)


def marked_text(region: Region) -> tuple[str, tuple[Mark, ...]]:
    """The printed lines of ``region``, or the labels of a picture, one per line, and the marks of that text."""
    text, marks = "", list[Mark]()
    for line in region.lines or region.labels:
        marks += shifted(line.marks, len(text))
        text += f"{line.text}\n"
    return text, tuple(marks)


def _indents(region: Region, text: str) -> tuple[float, ...]:
    """The left edges of a list's items, one for each line of ``text``; empty where the printed lines do not match the
    items."""
    printed = clean(region.texts[0]).split("\n")
    if len(printed) != len(region.lines):
        return ()
    edges, at = [], 0
    for item in split_items("\n".join(printed)):
        edges.append(round(region.lines[at].bbox.x0, 1))
        at += item.count("\n") + 1
    return tuple(edges) if len(edges) == text.count("\n") + 1 else ()


def labels_of(region: Region) -> str:
    """The text inside a picture, one label per line."""
    return "\n".join(clean(line.text) for line in region.labels if line.text.strip())
