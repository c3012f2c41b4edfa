"""What a second engine's reading of doubtful lines is worth as a further draft (``python -m benchmarks languages
--second TOKENIZER``).

Pages in Latin print, which both engines know, are degraded as poor scans are. RapidOCR drafts them; lines of which it
is less sure than a bound are read by tesseract, and a region with such lines gets a second text. The true text
is then replayed against both drafts.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

from benchmarks.languages.pages import LanguagePage, as_pdf, as_scan
from benchmarks.transcripts import TokenizerFile, drafted_tokens, replay
from docspec.core import PageDraft, PageImage, Region
from docspec.core.languages import languages_of
from docspec.dialects import make_dialect
from docspec.drafting.rapidocr import RapidOcrDrafter
from docspec.drafting.recogniser import Recogniser
from docspec.drafting.straightening import straightened
from docspec.drafting.tesseract import TesseractRecogniser
from docspec.proposing.registry import make_proposer

BUDGET = 64
"""Tokens of a tree."""


@dataclass(frozen=True, slots=True)
class Second:
    """A page of a ``language``, degraded so: tokens of its truth, steps by the first reading alone and with the second
    one, lines, how many of them were doubtful, and the seconds of drafting and of reading those again."""

    language: str
    degraded: str
    tokens: int
    steps: int
    steps_with_second: int
    lines: int
    doubtful: int
    seconds: float
    second_seconds: float


def degraded(scan: Image.Image) -> Iterator[tuple[str, Image.Image]]:
    """``scan``, of 200 pixels an inch, as poorer ones."""
    for dpi in (100, 75, 60):
        smaller = scan.resize((scan.width * dpi // 200, scan.height * dpi // 200), Image.Resampling.BICUBIC)
        yield f"{dpi} dpi", smaller
    for blur in (3.0, 4.0, 5.0):
        yield f"blur {blur:g}", scan.filter(ImageFilter.GaussianBlur(blur))
    noise = np.random.default_rng(1).normal(0, 90, (scan.height, scan.width, 1))
    yield "noise", Image.fromarray((np.asarray(scan) + noise).clip(0, 255).astype(np.uint8))
    buffer = io.BytesIO()
    scan.resize((scan.width // 2, scan.height // 2)).save(buffer, "JPEG", quality=8)
    yield "100 dpi, JPEG 8", Image.open(buffer).convert("RGB")


def second_readings(pages: Sequence[LanguagePage], tokenizer: Path, doubtful: float) -> Iterator[Second]:
    """Every page of ``pages``, degraded in each way; lines of which RapidOCR is less sure than ``doubtful`` (0..1) are
    read twice."""
    codec, dialect, wheel = TokenizerFile(tokenizer), make_dialect("markdown"), Recogniser()
    drafter = RapidOcrDrafter(wheel)
    for one in pages:
        other = TesseractRecogniser(languages_of(one.language), wheel)
        output = [*codec.tokenize("\n\n".join(one.truth.split("\n"))), codec.end]
        for name, image in degraded(as_scan(one, as_pdf(one))):
            page = PageImage(image, 1, 1.0, one.language)
            draft = drafter.draft(page)
            begun = time.perf_counter()
            twice, count = with_second(page, draft, other, doubtful)
            spent = time.perf_counter() - begun
            steps = [
                replay(make_proposer("cursor", codec), output, BUDGET, drafted_tokens(dialect, own, page, codec))[0]
                for own in (draft, twice)
            ]
            lines = sum(len(region.lines) for region in draft.regions)
            yield Second(one.language, name, len(output) - 1, steps[0], steps[1], lines, count, draft.seconds, spent)


def with_second(page: PageImage, draft: PageDraft, other: Recogniser, bound: float) -> tuple[PageDraft, int]:
    """``draft`` with second texts of regions in which lines are doubtful, by ``other``; and the number of these."""
    straight, upright = straightened(page, draft)
    regions: list[Region] = []
    count = 0
    for region in upright.regions:
        doubtful = [line for line in region.lines if line.confidence < bound and line.text in region.texts[0]]
        boxes = [line.bbox.grown(2).clamped(straight.width, straight.height).rounded() for line in doubtful]
        read = other.read_lines([straight.image.crop(box) for box in boxes])
        text = region.texts[0] if region.texts else ""
        for line, (again, sure) in zip(doubtful, read, strict=True):
            if again and sure > 0.5:
                text = text.replace(line.text, again, 1)
        count += len(doubtful)
        changed = text and text != region.texts[0]
        regions.append(replace(region, texts=(*region.texts, text)) if changed else region)
    return replace(draft, regions=tuple(regions)), count
