"""Ocean-OCR-Bench (arXiv 2501.15558): 100 English and 100 Chinese page images with their text.

Published as ``OCR_eval_data/document_en.json`` and ``document_zh.json`` with a folder of images of the same name beside
each (guoxy25/Ocean-OCR, commit b1f4c2b). Its measures are those of ``eval.py`` there, whose call hands over label and
answer the other way round than its function names them: what it calls precision is the share of the *truth's* words
that were written. The same is done here, so that figures compare. Words are split by jieba where a text holds Chinese.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.extras import require
from benchmarks.suites.item import Item, Scores
from docspec.core import InputError

LANGUAGES = {"en": "English", "zh": "Chinese"}
MEASURES = ("edit_dist", "f_measure", "precision", "recall", "bleu", "meteor")
_CHINESE = re.compile("[\u4e00-\u9fa5]")

WITHOUT_WORDNET = (
    "METEOR by exact words and stems alone: the corpus WordNet is not installed (python -m nltk.downloader wordnet)"
)


class OceanOcr:
    """The data set in a folder that holds ``document_en.json`` and ``document_zh.json``, or one of them."""

    name = "ocean-ocr"
    title = "Ocean-OCR-Bench"

    def __init__(self, folder: Path) -> None:
        inner = folder / "OCR_eval_data"
        self._folder = inner if inner.is_dir() else folder

    @classmethod
    def fits(cls, folder: Path) -> bool:
        return any(
            (root / f"document_{key}.json").is_file()
            for root in (folder, folder / "OCR_eval_data")
            for key in LANGUAGES
        )

    def items(self) -> Sequence[Item]:
        found = []
        for key, language in LANGUAGES.items():
            file = self._folder / f"document_{key}.json"
            if not file.is_file():
                continue
            try:
                for entry in json.loads(file.read_text(encoding="utf-8")):
                    image = entry["image"]
                    truth = next(turn["value"] for turn in entry["conversations"] if turn["from"] == "gpt")
                    path = self._folder / f"document_{key}" / image
                    found.append(Item(f"document_{key}/{Path(image).stem}", path, language, truth=truth))
            except (ValueError, KeyError, TypeError, StopIteration) as error:
                raise InputError(f"{file}: is not as Ocean-OCR-Bench is published ({error!r})") from error
        return sorted(found, key=lambda item: item.id)

    def score(self, items: Sequence[Item], outputs: Mapping[str, str]) -> Scores:
        each = {item.id: measures(item.truth, outputs.get(item.id, "")) for item in items}
        figures: dict[str, float | None] = {}
        by_kind: dict[str, float] = {}
        for language in LANGUAGES.values():
            own = [each[item.id] for item in items if item.kind == language]
            if own:
                means = {name: fmean(one[name] for one in own) for name in MEASURES}
                figures.update({f"{language} {name}": value for name, value in means.items()})
                by_kind[language] = _one_figure(means)
        return Scores(
            figures,
            overall=fmean(by_kind.values()) if by_kind else None,
            overall_name="mean of both languages' means of F1, precision, recall, BLEU, METEOR and 1 - edit distance",
            by_kind=by_kind,
            kind_figure="mean of the six measures",
            remarks=() if _wordnet() is None else (WITHOUT_WORDNET,),
        )


def measures(truth: str, output: str) -> dict[str, float]:
    """The six measures of one page, as ``eval.py`` of the data set's repository makes them (0..1 each).

    Raises :class:`docspec.core.UsageError` without the packages nltk and jieba.
    """
    from rapidfuzz.distance import Levenshtein

    translate = require("nltk.translate", "scoring Ocean-OCR-Bench", "suites")
    scores = require("nltk.metrics.scores", "scoring Ocean-OCR-Bench", "suites")
    meteor = require("nltk.translate.meteor_score", "scoring Ocean-OCR-Bench", "suites").meteor_score
    reference, hypothesis = _words(output, truth)
    wordnet = _wordnet()
    known = {} if wordnet is None else {"wordnet": wordnet}
    one, other = set(reference), set(hypothesis)
    return {
        "edit_dist": float(Levenshtein.normalized_distance(truth, output)),
        "f_measure": scores.f_measure(one, other) or 0.0,
        "precision": scores.precision(one, other) or 0.0,
        "recall": scores.recall(one, other) or 0.0,
        "bleu": float(translate.bleu([reference], hypothesis)) if hypothesis else 0.0,
        "meteor": float(meteor([reference], hypothesis, **known)) if hypothesis and reference else 0.0,
    }


def _words(*texts: str) -> list[list[str]]:
    if any(_CHINESE.search(text) for text in texts):
        cut = require("jieba", "scoring Chinese pages", "suites").lcut
        return [list(cut(text)) for text in texts]
    return [text.split() for text in texts]


def _one_figure(means: Mapping[str, float]) -> float:
    """The paper's table 7 gives one figure a data set and does not say how it is made; this is our reading."""
    return 100 * fmean([1 - means["edit_dist"], *(means[name] for name in MEASURES if name != "edit_dist")])


class NoSynonyms:
    """Stands in for WordNet where it is not installed: no word has a synonym."""

    def synsets(self, word: str) -> list[Any]:
        return []


@cache
def _wordnet() -> NoSynonyms | None:
    """``None`` where nltk finds its own WordNet."""
    corpus = require("nltk.corpus", "scoring Ocean-OCR-Bench", "suites").wordnet
    try:
        corpus.ensure_loaded()
    except LookupError:
        return NoSynonyms()
    return None
