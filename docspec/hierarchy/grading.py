"""Grades the pages that were read and reports which are doubtful and why (docs/doubtful.md: how the thresholds were
found)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from docspec.core import Block, Category, PageDraft, PageImage, PageResult
from docspec.core.draft import certainty_of
from docspec.core.result import Grade, Quality
from docspec.core.scripts import scripts_of
from docspec.dialects.words import words_of
from docspec.drafting.light import ink_left
from docspec.drafting.number_check import NUMBERS_UNSURE
from docspec.drafting.straightening import straightened
from docspec.hierarchy.regions.evidence import FOREIGN
from docspec.targets.model_profile import ModelProfile

THRESHOLDS: tuple[tuple[Grade, float], ...] = (("A", 0.97), ("B", 0.93), ("C", 0.85))
"""The least certainty of each grade; below all of them is D."""

LEAST_AGREEMENT = 0.5
"""Agreement (0..1) of the output with the draft below which the two are of different pages."""

LEAST_WORDS = 8
"""Least number of words for which an agreement is computed."""

SENSELESS = 0.08
"""Least share of words that are none (:data:`_NO_WORD`) in what a reader makes of print in a script not its own. The
bundled reader comes to 0.09 to 0.42 on scans of Russian, Greek, Arabic, Hebrew, Hindi and Thai, and to 0.03 at most
on English and Polish ones (of pages without a draft; of Korean it reads hardly a word)."""

_WORD = re.compile(r"[^\W_]{4,}")
_NO_WORD = re.compile(r"[^\W\dA-ZÀ-Þ][A-ZÀ-Þ]|[A-ZÀ-Þ]{2}[^\W\dA-ZÀ-Þ]|[^\W\d]\d+[^\W\d]")
"""Capitals and digits within a word."""

_ASIDE = frozenset({Category.FORMULA, Category.PICTURE})


def graded(result: PageResult, draft: PageDraft, card: ModelProfile) -> PageResult:
    """``result`` with its quality, judged by the ``draft`` that it was read with and the reader's ``card``. It is
    unchanged if the page was not read or nothing is known about its quality."""
    if result.status != "ok":
        return result
    sizes = Counter[str]()
    for block in result.blocks:
        sizes[block.words] += len("".join(block.text.split()))
    agreement = _agreement(result.blocks, draft)
    confidence = _confidence(draft)
    certain = {"text layer": draft.soundness, "recognition": confidence, "model": agreement, "draft": 0.0}
    known = [(size, certain[source]) for source, size in sizes.items() if size]
    weighed = [(size, share) for size, share in known if share is not None]
    found = 1.0 if sizes["text layer"] else _recognised_share(result, draft)
    if weighed:
        certainty = found * sum(size * share for size, share in weighed) / sum(size for size, _ in weighed)
    elif confidence is not None or found < 1.0:
        certainty = found * (confidence or 0.0)  # print without recognised words
    elif card.scripts and (senseless := _senseless(result.blocks)) is not None:
        return replace(result, quality=Quality("D", 0.0, None, None, senseless))
    else:
        return result
    grade: Grade = next((name for name, least in THRESHOLDS if certainty >= least), "D")
    reason = _foreign(result.blocks, card, draft)
    if reason is None and agreement is not None and agreement < LEAST_AGREEMENT and 2 * sizes["model"] > sizes.total():
        reason = f"hardly any agreement between what was read and what was drafted ({agreement:.2f})"
    elif reason is None and grade == "D":
        reason = _why(sizes, certainty)
    elif reason is None and sizes["recognition"]:
        reason = next((event.detail for event in draft.events if event.kind == NUMBERS_UNSURE), None)
    margin = None if result.stage2 is None else result.stage2.smallest_margin
    return replace(result, quality=Quality("D" if reason else grade, certainty, agreement, margin, reason))


def _why(sizes: Counter[str], certainty: float) -> str:
    """The reason for the page's low certainty, by the source of most of its words."""
    source = max(+sizes or Counter(recognition=1), key=sizes.__getitem__)
    told = {
        "text layer": "hidden text that differs from the print",
        "recognition": "handwriting, a poor picture or a script that is not recognised",
        "model": "what was read differs from what was drafted",
        "draft": "words that nobody could check",
    }
    return f"{told[source]} (certainty {certainty:.2f})"


def _foreign(blocks: Sequence[Block], card: ModelProfile, draft: PageDraft) -> str | None:
    """Names the most frequent script that the reader does not write, counted over words that stand in no file and that
    no recogniser of that script read; ``None`` where there are few such letters."""
    if not card.scripts:
        return None
    found: Counter[str] = Counter()
    for block in blocks:
        if block.words != "text layer" and block.category is not Category.FORMULA:
            own = scripts_of(block.text)
            found += (
                own
                if block.words != "recognition"
                else Counter({script: count for script, count in own.items() if script not in draft.scripts})
            )
    foreign = {script: count for script, count in found.items() if script not in card.scripts}
    if sum(foreign.values()) < max(LEAST_WORDS, FOREIGN * found.total()):
        return None
    return f"of a script that the reader does not write ({max(foreign, key=lambda script: foreign[script])})"


def _senseless(blocks: Sequence[Block]) -> str | None:
    """Says that what a model wrote of a page without a draft is no text; ``None`` if it may be."""
    words = [word for block in blocks if block.words == "model" for word in _WORD.findall(block.text)]
    strange = sum(_NO_WORD.search(word) is not None for word in words)
    if len(words) < LEAST_WORDS or strange < SENSELESS * len(words):
        return None
    told = f"{strange} of {len(words)} words"
    return f"what was read is no text ({told}); perhaps of a script that the reader does not write"


def _recognised_share(result: PageResult, draft: PageDraft) -> float:
    """The share of a scan's print, by area, in which the recogniser found text; 1 if it did not search the whole
    page."""
    if result.image is None or not draft.searched:
        return 1.0
    page, draft = straightened(PageImage(result.image, result.number, 1.0, result.source), draft)
    unread = sum(one.bbox.area for one in ink_left(page, draft) if one.category is Category.TEXT)
    read = sum(line.bbox.area for region in draft.regions for line in region.lines)
    return read / (read + unread) if read + unread else 1.0


def _confidence(draft: PageDraft) -> float | None:
    """The certainty of the recognised regions; ``None`` if there are none."""
    recognised = (region for region in draft.regions if region.words == "recognition")
    return certainty_of(line for region in recognised for line in (*region.lines, *region.labels))


def _agreement(blocks: Sequence[Block], draft: PageDraft) -> float | None:
    """The share of words that the model's output and the draft have in common (Dice's coefficient). Formulas, and the
    words of blocks that the model did not read, are left out; ``None`` where one side has too few words."""
    drafted = _words(region.texts[0] for region in draft.regions if region.texts and region.category not in _ASIDE)
    drafted -= _words(block.text for block in blocks if block.words != "model")
    read = _words(block.text for block in blocks if block.words == "model" and block.category not in _ASIDE)
    if not drafted and draft.page_texts:
        drafted = _words(draft.page_texts[:1])
    if not drafted or max(drafted.total(), read.total()) < LEAST_WORDS:
        return None
    return 2 * (drafted & read).total() / (drafted.total() + read.total())


def _words(texts: Iterable[str]) -> Counter[str]:
    return Counter(word.key for text in texts for word in words_of(text))
