"""Does the target correct a wrong draft or echo it? Drafts made of the truth with some characters changed.

With relaxed acceptance a changed character may slip through; what counts is the share that does not. With exact
acceptance none can, unless the target would have written it anyway: its output without a draft is the control.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from benchmarks.accuracy import truth_of
from docspec.bench.fidelity import FixedDraft
from docspec.core import PageDraft, PageImage, ParseOptions
from docspec.core.observer import NullObserver
from docspec.documents import PageFailure, Source, open_document
from docspec.drafting import SafeDrafter
from docspec.hierarchy.page import PageParser
from docspec.parser import Parser


@dataclass(frozen=True, slots=True)
class PageCorrections:
    """Of ``changed`` characters of a page's draft, how many stand in the output of each way of decoding."""

    source: str
    changed: int
    relaxed: int
    exact: int
    undrafted: int
    accepted_relaxed: int
    accepted_exact: int


def corrupt(text: str, rate: float, seed: int) -> tuple[str, dict[int, str]]:
    """``text`` with a share ``rate`` of its letters and digits replaced, and what was put at which index."""
    rng = random.Random(seed)
    characters = list(text)
    wrong: dict[int, str] = {}
    for index, char in enumerate(characters):
        if char.isalnum() and rng.random() < rate:
            pool = string.digits if char.isdigit() else string.ascii_lowercase
            wrong[index] = rng.choice([other for other in pool if other != char.lower()])
            characters[index] = wrong[index]
    return "".join(characters), wrong


def survivors(truth: str, wrong: dict[int, str], output: str) -> int:
    """How many of the ``wrong`` characters stand in ``output`` at the place of the true one."""
    count = 0
    for code in Levenshtein.opcodes(truth, output):
        if code.tag == "replace":
            for offset in range(code.src_end - code.src_start):
                put = wrong.get(code.src_start + offset)
                count += put is not None and output[code.dest_start + offset] == put
    return count


def measure(
    sources: Sequence[Source], options: ParseOptions, rate: float = 0.1, tau: float = 0.75, seed: int = 1
) -> Iterator[PageCorrections]:
    """Reads page 1 of every source with its corrupted truth as the only draft."""
    with Parser(options) as parser:
        for source in sources:
            truth = truth_of(source).strip()
            drafted, wrong = corrupt(truth, rate, seed)
            with open_document(source, parser.options.password) as document:
                for page in parser.page_images(document, "1"):
                    if isinstance(page, PageFailure):
                        continue
                    draft = PageDraft(drafter="corrupted", page_texts=(drafted,))
                    relaxed, taken = _read(parser, page, draft, tau)
                    exact, taken_exact = _read(parser, page, draft, None)
                    alone, _ = _read(parser, page, PageDraft(), None)
                    yield PageCorrections(
                        source.name,
                        len(wrong),
                        survivors(truth, wrong, relaxed),
                        survivors(truth, wrong, exact),
                        survivors(truth, wrong, alone),
                        taken,
                        taken_exact,
                    )


def _read(parser: Parser, page: PageImage, draft: PageDraft, tau: float | None) -> tuple[str, int]:
    options = replace(parser.options, stages="page", tau=tau)
    drafter = SafeDrafter(FixedDraft(draft))
    result = PageParser(parser.loaded, parser.dialect, drafter, options, NullObserver()).parse(page)
    return result.text, result.stage2.accepted if result.stage2 else 0
