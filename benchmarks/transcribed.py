"""Places of the words of transcripts: pages that a large reader wrote earlier, beside the layer of their files.

No model runs. As a negative control, words that the page does not have are put into the text: none of them may be
*exact*.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.places import PlacedPage, judged
from benchmarks.transcripts import Transcript, find_transcripts
from docspec.core import InputError, PageImage, PageResult, ParseOptions
from docspec.dialects import make_dialect
from docspec.dialects.locate import attach_boxes
from docspec.documents import PageFailure, open_document
from docspec.documents.view import View
from docspec.drafting import make_drafter
from docspec.ledger import visible_words
from docspec.places import with_places
from docspec.places.words import letters_of

_WORD = re.compile(r"(?<=[ \n])[A-Za-z]{3,}(?=[ \n])")
_LETTERS = ("bcdfgklmnprstvz", "aeiou")


def transcribed(inputs: Sequence[str | Path], options: ParseOptions, each: int = 0) -> Iterator[PlacedPage]:
    """The first page of each of ``inputs`` (documents with ``NAME.md`` beside, or folders of them), written so; with
    ``each``, a made-up word stands behind every so manieth word."""
    drafter = make_drafter(options)
    for one in find_transcripts(inputs):
        began = time.perf_counter()
        page = _page(one, options)
        assert page.words is not None
        words = [word for word in page.words if not word.hidden and letters_of(word.text)]
        known = {letters_of(word.text).casefold() for word in words}
        text, inserted = with_inserted(one.text, each, known) if each else (one.text, set())
        draft = drafter.draft(page)
        blocks = attach_boxes(make_dialect(one.dialect).parse(text, page.width, page.height), draft)
        result = PageResult(one.name, 1, "ok", blocks=tuple(blocks), width=page.width, height=page.height)
        drafted = time.perf_counter()
        result = with_places(result, page, draft)
        ended = time.perf_counter()
        found = [replace(word, is_inserted=word.text in inserted) for word in judged(result, words)]
        yield PlacedPage(one.name, 1, found, ended - drafted, ended - began)


def with_inserted(text: str, each: int, known: set[str]) -> tuple[str, set[str]]:
    """``text`` with a word of random syllables behind every ``each``-th plain word, none of them ``known``; and those
    words."""
    chance = random.Random(0)
    seen = 0
    inserted: set[str] = set()

    def grown(match: re.Match[str]) -> str:
        nonlocal seen
        seen += 1
        if seen % each:
            return match[0]
        while (word := "".join(chance.choice(_LETTERS[at % 2]) for at in range(chance.randint(3, 9)))) in known:
            pass
        inserted.add(word)
        return f"{match[0]} {word}"

    return _WORD.sub(grown, text), inserted


def _page(one: Transcript, options: ParseOptions) -> PageImage:
    from docspec.documents.sources import source_from_path

    with open_document(source_from_path(one.document)) as document:
        page = next(iter(document.pages("1", view=View(options.dpi, witness=visible_words))))
    if isinstance(page, PageFailure):
        raise InputError(f"{one.document}: its first page cannot be drawn")
    return page
