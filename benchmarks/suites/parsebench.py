"""ParseBench (https://parsebench.ai): documents with rules, and tables with their truth, by category.

Published as ``CATEGORY.jsonl``, one rule a line, with ``pdfs/CATEGORY/``. It is scored by its own package
``parse-bench`` (1.0.4 was tried), which needs Python 3.12 and lies in an environment of its own: its command gets what
was written as results of a pipeline and reports each category. Its leaderboard shows one figure a category and their
mean. Rules about the places of elements (category ``layout``) need boxes, which Markdown has not; they are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.suites.item import Item, Scores
from benchmarks.suites.publisher import run_scorer
from docspec.core import InputError, UsageError
from docspec.documents.mupdf import mupdf
from docspec.reporting.htmltable import with_html_tables

MISSING = (
    "not scored: ParseBench is scored by its package parse-bench, in an environment of its own: "
    "python3.12 -m venv DIR && DIR/bin/pip install parse-bench==1.0.4, then --scorer DIR"
)
PIPELINE = "docspec"
READ_ONCE = {"text_content": "text", "text_formatting": "text"}
"""Categories with rules about the same documents, which its harness reads once."""

SHOWN = {
    "table": "grits_trm_composite",
    "text_content": "content_faithfulness",
    "text_formatting": "semantic_formatting",
    "form": "rule_form_field_pass_rate",
}
"""The figure of a category that its leaderboard shows (``parse_bench/analysis/aggregation_report.py``)."""

OTHERWISE = "rule_pass_rate"
WHEN = "2026-01-01T00:00:00"
"""Times of results are asked for and not scored."""


class ParseBench:
    """The data set in a folder with files of rules and ``pdfs``."""

    name = "parsebench"
    title = "ParseBench"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def fits(cls, folder: Path) -> bool:
        try:
            return (folder / "pdfs").is_dir() and next(_rules(folder))["pdf"].startswith("pdfs/")
        except (InputError, StopIteration):
            return False

    def items(self) -> Sequence[Item]:
        """The pages of all documents with rules about their text. A document's categories are an attribute."""
        categories: dict[tuple[str, str], set[str]] = {}
        for rule in _rules(self._folder):
            if rule["type"] != "layout":
                group = READ_ONCE.get(rule["category"], rule["category"])
                categories.setdefault((group, rule["pdf"]), set()).add(rule["category"])
        found = []
        for (group, pdf), names in sorted(categories.items()):
            path, document = self._folder / pdf, f"{group}/{Path(pdf).stem}"
            attributes = {"document": document, "categories": " ".join(sorted(names))}
            found += [
                Item(f"{document}_pg{page}", path, group, page, attributes) for page in range(1, _count(path) + 1)
            ]
        return found

    def score(self, items: Sequence[Item], outputs: Mapping[str, str]) -> Scores:
        raise UsageError(MISSING)

    def score_by(self, scorer: Path, items: Sequence[Item], outputs: Mapping[str, str], folder: Path) -> Scores:
        """The figures of the package in the environment ``scorer``, run in ``folder``. Raises :class:`UsageError` if it
        is not there, or fails."""
        command = scorer / "bin" / "parse-bench"
        if not command.is_file():
            raise UsageError(f"--scorer {scorer}: has no bin/parse-bench")
        documents: dict[str, list[Item]] = {}
        for item in items:
            documents.setdefault(item.attributes["document"], []).append(item)
        for document, pages in documents.items():
            place = folder / f"{document}.result.json"
            place.parent.mkdir(parents=True, exist_ok=True)
            texts = {page.page: with_html_tables(outputs.get(page.id, "")) for page in pages}
            place.write_text(json.dumps(_result(document, pages[0].path, texts)), encoding="utf-8")
        figures: dict[str, float | None] = {}
        by_category: dict[str, float] = {}
        for category in sorted({name for item in items for name in item.attributes["categories"].split()}):
            aggregates = _evaluated(command.absolute(), self._folder, folder, category)
            figures |= {
                f"{category} {name}": 100 * value for name, value in aggregates.items() if name in _shown(category)
            }
            shown = next((aggregates[name] for name in _shown(category) if name in aggregates), None)
            if shown is not None:
                by_category[category] = 100 * shown
        return Scores(
            figures,
            overall=fmean(by_category.values()) if by_category else None,
            overall_name="mean over categories of the figure that the leaderboard shows (%)",
            by_kind=by_category,
            kind_figure="the leaderboard's figure (%)",
            remarks=("rules about places (category layout) are left out: no boxes are written",),
        )


def _shown(category: str) -> tuple[str, ...]:
    return (SHOWN[category], OTHERWISE) if category in SHOWN else (OTHERWISE,)


def _rules(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                rule = json.loads(line)
                yield {"category": file.stem, **rule, "pdf": str(rule["pdf"]), "type": str(rule["type"])}
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{file}: line {number} is no rule of ParseBench ({error!r})") from error


def _count(path: Path) -> int:
    """The number of pages of a document. Raises :class:`InputError`."""
    try:
        with mupdf().open(path) as document:
            return int(document.page_count)
    except Exception as error:  # MuPDF's errors have no base of their own
        raise InputError(f"{path}: cannot be opened ({error})") from error


def _result(document: str, path: Path, texts: Mapping[int, str]) -> dict[str, Any]:
    """What a pipeline made of ``document``, as the harness keeps it (``parse_bench.schemas.pipeline_io``)."""
    pages = [{"page_index": number - 1, "markdown": text} for number, text in texts.items()]
    whole = "\n\n".join(texts.values())
    output = {
        "task_type": "parse",
        "example_id": document,
        "pipeline_name": PIPELINE,
        "pages": pages,
        "markdown": whole,
    }
    return {
        "request": {"example_id": document, "source_file_path": str(path.absolute()), "product_type": "parse"},
        "pipeline_name": PIPELINE,
        "product_type": "parse",
        "raw_output": {},
        "output": output,
        "started_at": WHEN,
        "completed_at": WHEN,
        "latency_in_ms": 0,
    }


def _evaluated(command: Path, data: Path, results: Path, category: str) -> dict[str, float]:
    """The means of a category's figures, by their names."""
    report = results / "reports" / category
    report.mkdir(parents=True, exist_ok=True)
    words = [
        *(str(command), "evaluation", "run", "--output_dir", str(results.absolute())),
        *("--test_cases_dir", str(data.absolute()), "--product_type", "parse", "--group", category),
        *("--report_dir", str(report.absolute()), "--export_html", "False", "--force"),
    ]
    run_scorer(words, report, str(command), "_evaluation_report.json")
    file = report / "_evaluation_report.json"
    means = json.loads(file.read_text(encoding="utf-8"))["aggregate_metrics"]
    return {name.removeprefix("avg_"): float(value) for name, value in means.items() if name.startswith("avg_")}
