"""What tesseract's certainties mean: the share of right characters in lines of the benchmark's scans, sharp and
blurred, by what it told of them (``python -m benchmarks languages --certainty``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PIL import ImageFilter

from benchmarks.languages.measure import plain
from benchmarks.languages.pages import LanguagePage, as_pdf, as_scan
from docspec.core.languages import languages_of
from docspec.drafting import tesseract
from docspec.drafting.recogniser import Recogniser

BLURS = (0.0, 2.0, 3.0, 4.0)  # pixels
BINS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.96, 1.01)


@dataclass(frozen=True, slots=True)
class Bin:
    """Lines of which tesseract told about so much: their number, its mean certainty and the share of right characters
    (0..1), both by characters."""

    lines: int
    told: float
    right: float


def certainties(pages: Sequence[LanguagePage]) -> Iterator[Bin]:
    """What tesseract tells of the lines of ``pages``, and how right they are. A line counts as the one of the page that
    it is most like, so that even a senseless one is a third right."""
    from rapidfuzz.distance import Levenshtein

    finder = Recogniser()
    found: list[tuple[float, float, int]] = []
    for page in pages:
        lines = [_bare(line, page) for paragraph in page.paragraphs for line in paragraph]
        recogniser = tesseract.TesseractRecogniser(languages_of(page.language), finder)
        sheet = as_scan(page, as_pdf(page))
        for blur in BLURS:
            for line in recogniser.read_page(sheet.filter(ImageFilter.GaussianBlur(blur)))[0]:
                text = _bare(line.text, page)
                right = max(Levenshtein.normalized_similarity(text, other) for other in lines)
                found.append((tesseract.told_for(line.confidence), right, len(text)))
    for low, high in pairwise(BINS):
        own = [one for one in found if low <= one[0] < high]
        if total := sum(size for _, _, size in own):
            told, right = (sum(one[part] * one[2] for one in own) / total for part in (0, 1))
            yield Bin(len(own), told, right)


def _bare(text: str, page: LanguagePage) -> str:
    return "".join(plain(text, page.language).split())
