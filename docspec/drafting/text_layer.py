"""The cheapest draft: the text that a born-digital PDF carries, in the regions that PyMuPDF's layout model
sees.

It costs a few tenths of a second a page (the layout model); ``quick`` cuts the page along its white space
instead, which takes milliseconds. Whether the text can be trusted is judged elsewhere
(:mod:`docspec.drafting.trust`). If a file does not tell all letters of a word (ligatures of a font without Unicode),
the word is completed from the print.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from docspec.core import BBox, Category, DrafterError, Event, PageDraft, PageImage, PrintedLine, Region
from docspec.core.choices import Formulas
from docspec.core.geometry import runs_of
from docspec.core.marks import carried
from docspec.core.page import EdgeText
from docspec.core.running_text import in_place
from docspec.documents.mupdf import load_layout_model
from docspec.documents.painting import layer_of
from docspec.drafting.assembly import assemble
from docspec.drafting.assembly.claims import fitted, unclaimed, with_strays
from docspec.drafting.columns import cut_layout
from docspec.drafting.forms import Field, form_tables, with_drawn_signs, without_fields, without_lines
from docspec.drafting.formula_boxes import settled, told_apart, with_formulas
from docspec.drafting.furniture import settled_furniture, stamps, watermarks
from docspec.drafting.ink import covers_all_ink, unread_regions
from docspec.drafting.layout import WHITE_SPACE, LayoutBox, write_hidden
from docspec.drafting.line_numbers import line_numbers, numbers_region
from docspec.drafting.lines import TextLine, with_drop_caps
from docspec.drafting.listings import program_texts
from docspec.drafting.order import in_order, index_in_order, layout_of
from docspec.drafting.page_lines import page_lines
from docspec.drafting.picture_text import (
    find_text,
    furniture_of,
    is_prose,
    with_figures_as_labels,
    with_furniture,
    with_labels,
    with_words_of_images,
    words_of_images,
)
from docspec.drafting.pictures import with_pictures
from docspec.drafting.printed import Printed
from docspec.drafting.recogniser import PageReader, Recogniser
from docspec.drafting.records import with_records
from docspec.drafting.repair import CODES, is_cipher
from docspec.drafting.spaces import are_spaced, typed_spaces, with_printed_spaces, with_words
from docspec.drafting.structure.blocks import with_blocks
from docspec.drafting.structure.placing import boxes_of_cells, doubts, found_tables, with_tables
from docspec.drafting.structure.tables import Structure
from docspec.drafting.titles import with_level, with_title
from docspec.drafting.trust import TrustJudge, bad_share, picture_of
from docspec.drafting.typed_rules import with_typed_rules
from docspec.drafting.vertical import vertical_columns, vertical_regions
from docspec.mathematics.page import PageFormulas

CUT = "text layer, cut along white space"

STRAY = 0.02
"""Most characters of a region that may be unknown while its words stand."""

CERTAIN = 0.8
"""Least confidence (0..1) of a recognised line from which words are completed."""


class TextLayerDrafter:
    """Drafts from the PDF's own text; ``quick`` without the layout model. With a ``recogniser`` it looks for text where
    the text layer has none, above all in pictures. With ``judge`` the statistics of the text layer are judged, and only
    sound words are called known; without it the caller has judged."""

    name = "text-layer"

    def __init__(
        self,
        quick: bool = False,
        recogniser: PageReader | None = None,
        judge: bool = False,
        formulas: Formulas = "latex",
    ) -> None:
        self._quick = quick
        self._recogniser = recogniser
        self._judge = TrustJudge() if judge else None
        self._formulas = formulas

    def warm(self) -> None:
        if not self._quick:
            load_layout_model()

    def draft(self, page: PageImage) -> PageDraft:
        """The regions of the page's text layer; empty for images. Raises :class:`DrafterError` if it is
        unreadable.
        """
        start = time.perf_counter()
        if page.pdf_page is None:
            return PageDraft((), self.name, "an image has no text layer", time.perf_counter() - start)
        try:
            sheet, fields = with_drawn_signs(Printed(page.pdf_page, not self._quick))
            sheet = with_typed_rules(sheet)
            formulas = formulas_of(sheet, self._formulas)
            sound = self._judge is None or self._judge.judge(page).trusted
            reader = self._recogniser if sound else None
            recogniser = partial(reader.of_page, page) if reader is not None else None
            lines = page_lines(sheet.page, page.links, formulas, recogniser)
            lines = with_printed_spaces(lines, sheet.raw["blocks"])
            if are_spaced(lines):
                words = layer_of(sheet.page, "words")
                lines = with_words(lines, words, typed_spaces(sheet.raw["blocks"]))
            if recogniser is not None:
                lines = completed(page.pdf_page, lines, recogniser())
            lines = [replace(line, text=CODES.sub("\ufffd", line.text)) for line in with_drop_caps(lines)]
            regions, layout, events = self._regions(page, sheet, lines, fields, formulas)
            events += formulas.events
            unread: list[Region] | None = None
            printed: tuple[PrintedLine, ...] = ()
            if self._recogniser is not None:
                unread = _unread(page, regions)
                known = [line.scaled(page.scale) for line in lines if not line.hidden]
                recognised, mute = find_text(page, regions, unread, self._recogniser.of_page(page), known)
                printed = tuple(PrintedLine(one.bbox, one.text, confidence=one.confidence) for one in recognised)
                edges = furniture_of(recognised, regions, page.height)
                written = sum(map(str.isalpha, "".join(line.text for line in lines if not line.hidden)))
                images = words_of_images(page, recognised, edges, written)
                labels = [line for _, own in images for line in own]
                edges = {kind: own for kind, band in edges.items() if (own := [x for x in band if x not in labels])}
                aside = [*labels, *(line for band in edges.values() for line in band)]
                recognised = [line for line in recognised if line not in aside]
                if is_prose(recognised):
                    in_points = [one.scaled(1 / page.scale) for one in recognised]
                    write_hidden(sheet.page, in_points)
                    again = Printed(sheet.page, not self._quick)
                    regions, layout, events = self._regions(page, again, [*lines, *in_points], fields, formulas)
                    events += formulas.events
                    regions = with_figures_as_labels(regions)
                elif recognised:
                    regions = with_labels(regions, assemble((), recognised))
                regions = with_furniture(with_words_of_images(regions, images), edges)
                events += mute
                unread = _unread(page, regions) if recognised or edges or images else unread
        except DrafterError:
            raise
        except Exception as error:
            raise DrafterError(f"{page.source}, page {page.number}: text layer unreadable ({error})") from error
        for one in hidden_regions(page):
            regions.insert(index_in_order(one.bbox, [region.bbox for region in regions]), one)
        near = [EdgeText(edge.bbox.scaled(page.scale), edge.repeats) for edge in page.edges]
        regions = with_title(settled_furniture(regions, near))
        if page.bookmarks:
            regions = [with_level(region, page.bookmarks) for region in regions]
        return PageDraft(
            tuple(map(_checked if sound else _unchecked, regions)),
            self.name,
            CUT if layout == WHITE_SPACE else "text layer",
            time.perf_counter() - start,
            layout=layout,
            events=events,
            searched=self._recogniser is not None,
            unread=None if unread is None else tuple(unread),
            recognised=printed,
        )

    def _regions(
        self,
        page: PageImage,
        printed: Printed,
        lines: Sequence[TextLine],
        fields: Sequence[Field],
        formulas: PageFormulas,
    ) -> tuple[list[Region], str, tuple[Event, ...]]:
        """The regions of ``lines`` (points) in pixels, the source of their layout, and the events. ``printed`` is the
        page of the file, on which ticks are written, with its ``fields``."""
        columns, lines = vertical_columns(lines)
        if columns:
            text = vertical_regions(columns)
            others = assemble(cut_layout(lines, printed.page.rect.height), lines)
            ordered = in_place([*text, *others], lambda region: region in others, lambda region: region.bbox)
            return [_in_pixels(region, page) for region in ordered], WHITE_SPACE, ()
        marks, lines = watermarks(lines)
        beside, lines = stamps(lines, printed.page.rect.width)
        marks += beside
        numbers, lines = line_numbers(lines)
        programs, lines = program_texts(lines)
        if numbers or programs:  # the layout model takes numbered lines, and those of programs, for a list
            aside = [*numbers, *chain.from_iterable(programs)]
            printed = Printed(without_lines(printed.page, aside), printed.modelled)
        forms = form_tables(fields, lines)
        if forms:
            printed = Printed(without_fields(printed.page), printed.modelled)
        boxes, layout, events = layout_of(printed, lines)
        structures = structures_of(printed, formulas)
        found, lines = found_tables(structures, lines, printed.texts_in, formulas.cells)
        boxes = with_tables(boxes, found, forms)
        boxes, lines = with_records(boxes, lines)
        for program in programs:
            own = LayoutBox.around(program, Category.TEXT)
            boxes.insert(index_in_order(own.bbox, [box.bbox for box in boxes]), own)
            lines += program
        if layout != WHITE_SPACE:
            boxes, lines = with_blocks(boxes, lines, structures[0])
            boxes = with_strays(fitted(boxes, lines), unclaimed(boxes, lines))
            boxes = in_order(boxes, lines, printed.bounds)
        boxes = with_formulas(boxes, lines, self._formulas == "picture")
        counts = [numbers_region(numbers, printed.page.rect.height)] if numbers else []
        across = assemble([LayoutBox.around([mark], Category.TEXT) for mark in marks], marks)
        regions = [_in_pixels(settled(region), page) for region in [*counts, *assemble(boxes, lines), *across]]
        if not self._quick:
            image = page.sketch or page.image  # pictures are large enough for a sketch to show them
            regions = with_pictures(image, regions, image.width / page.width)
        return regions, layout, (*events, *doubts(found))


def formulas_of(printed: Printed, mode: Formulas = "latex") -> PageFormulas:
    """What reads the formulas of a page, with the places of its tables and pictures where there can be any."""
    formulas = PageFormulas(mode)
    if formulas.are_on(printed.page):
        upright = structures_of(printed, formulas)[0]
        formulas.tables = [boxes_of_cells(grid, upright.page) for grid in upright.tables]
        formulas.pictures = upright.page.boxes("picture")
    return formulas


def structures_of(printed: Printed, formulas: PageFormulas) -> list[Structure]:
    """What a page has in each direction of its lines, upright ones first, without tables that are ``formulas``."""
    page = printed.page
    if not formulas.are_on(page):
        return printed.structures
    return told_apart(printed.structures, lambda: formulas.displayed(page, printed.raw["blocks"]))


def hidden_regions(page: PageImage) -> list[Region]:
    """The words of ``page`` that nobody sees, where they are asked for: a region for each run of them, marked."""
    regions = []
    for run in runs_of(page.hidden, lambda a, b: a.rule == b.rule and a.bbox.in_row_with(b.bbox)):
        box = BBox.union(word.bbox for word in run).scaled(page.scale).clamped(page.width, page.height)
        text = f"[hidden text, {run[0].rule}: {' '.join(word.text for word in run)}]"
        regions.append(Region(box, Category.TEXT, (text,), lines=(PrintedLine(box, text),), words="text layer"))
    return regions


def _unread(page: PageImage, regions: Sequence[Region]) -> list[Region]:
    """The print outside ``regions``. If a sketch shows none, the page is not drawn in full for it."""
    if page.sketch is not None and covers_all_ink(page.sketch, regions, page.sketch.width / page.width):
        return []
    return unread_regions(page.image, regions)


def _checked(region: Region) -> Region:
    """``region``, whose words are not called known if they hold more than single characters that no text has."""
    return _unchecked(region) if region.texts and bad_share(region.texts[0].replace("\n", "")) > STRAY else region


def unchecked(draft: PageDraft) -> PageDraft:
    """``draft`` without the claim that the text layer's words are sound."""
    return replace(draft, regions=tuple(map(_unchecked, draft.regions)))


def _unchecked(region: Region) -> Region:
    """``region`` without the claim that the text layer's words are sound."""
    return region if region.words != "text layer" else replace(region, words=None)


def _in_pixels(region: Region, page: PageImage) -> Region:
    """A region in points as one in pixels of the page image, with lines that keep the size of their type in points."""
    lines = tuple(replace(line, points=line.size) for line in region.lines)
    return replace(region, lines=lines).moved(lambda box: box.scaled(page.scale).clamped(page.width, page.height))


def completed(page: Any, lines: Sequence[TextLine], recogniser: Recogniser) -> list[TextLine]:
    """``lines`` of a ``pymupdf.Page`` in points. Lines with words that lack letters in the file, or hold signs that no
    table tells, are recognised; their other words, and all numbers, stay as the file has them. Where the print has the
    same letters, all are the file's. Lines whose words are of no language, as the codes of an ornate font are, have the
    words of the print. A line that recognition does not explain stays as it is."""

    def whole(line: TextLine) -> TextLine:
        if line.hidden or line.turns:
            return line
        if is_cipher(line.text):
            return _deciphered(page, line, recogniser)
        return _completed(page, line, recogniser) if line.words is None or CODES.search(line.text) else line

    return list(map(whole, lines))


def _deciphered(page: Any, line: TextLine, recogniser: Recogniser) -> TextLine:
    read, confidence = recogniser.read_line(picture_of(page, line))
    if confidence < CERTAIN or is_cipher(read):
        return line
    return replace(line, text=read, words="recognition", confidence=confidence, marks=())


def _completed(page: Any, line: TextLine, recogniser: Recogniser) -> TextLine:
    read, confidence = recogniser.read_line(picture_of(page, line))
    ours, theirs = line.text.split(), read.split()
    if confidence < CERTAIN:
        return line
    if line.words is None and _letters(line.text) == _letters(read):  # what the file does not tell prints no letter
        return replace(line, words="text layer")
    if len(ours) != len(theirs):
        return line
    words = [
        new if _lacks_letters(old, new) or _tells_signs(old, new) else old
        for old, new in zip(ours, theirs, strict=True)
    ]
    if words == ours:
        return line
    text = " ".join(words)
    marks = carried(line.marks, line.text, text)
    return replace(line, text=text, words="recognition", confidence=confidence, marks=marks)


def _lacks_letters(word: str, read: str) -> bool:
    """Whether added letters alone make ``word`` the word ``read`` in its place."""
    rest = iter(read)
    return len(word) < len(read) and all(sign in rest for sign in word) and _signs(word) == _signs(read)


def _tells_signs(word: str, read: str) -> bool:
    """Whether ``read`` is ``word`` with a character or two for each one of private use."""
    parts = [re.escape(part) for part in CODES.split(word)]
    return len(parts) > 1 and re.fullmatch(".{1,2}".join(parts), read) is not None


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def _signs(word: str) -> list[str]:
    return [sign for sign in word if not sign.isalpha()]
