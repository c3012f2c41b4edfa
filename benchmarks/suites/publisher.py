"""OmniDocBench's own scorer, run from a checkout of its repository on what docspec wrote.

The checkout is used as it is: ``pdf_validation.py`` with a configuration of its ``end2end`` task, in ``.venv`` of the
checkout where there is one, otherwise in this Python. CDM is asked for where the programs that it calls are installed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.suites.item import Item, Scores
from benchmarks.suites.omnidocbench_score import CDM_REMARK
from docspec.core import UsageError

CDM_PROGRAMS = ("pdflatex", "magick", "node")
ENTRY = "pdf_validation.py"


def published_scores(
    checkout: Path,
    pages_file: Path,
    kinds: Mapping[str, str],
    items: Sequence[Item],
    outputs: Mapping[str, str],
    folder: Path,
) -> Scores:
    """What the publisher's scorer says of ``outputs`` for pages of ``pages_file``; its files go into ``folder``.
    ``kinds`` are the names of kinds of pages by the publisher's.

    Raises :class:`UsageError` where the checkout is none or its scorer fails.
    """
    if not (checkout / ENTRY).is_file():
        raise UsageError(f"--scorer {checkout}: holds no {ENTRY}; name a checkout of opendatalab/OmniDocBench")
    predictions = folder / "predictions"
    for made in (predictions, folder / "result"):
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
    names = {item.path.name for item in items}
    pages = json.loads(pages_file.read_text(encoding="utf-8"))
    chosen = [page for page in pages if Path(page["page_info"]["image_path"]).name in names]
    truth = folder / "truth.json"
    truth.write_text(json.dumps(chosen, ensure_ascii=False), encoding="utf-8")
    for item in items:
        (predictions / f"{item.id}.md").write_text(outputs.get(item.id, ""), encoding="utf-8")
    with_cdm = all(shutil.which(program) for program in CDM_PROGRAMS)
    config = folder / "end2end.yaml"
    config.write_text(json.dumps(_config(truth.resolve(), predictions.resolve(), with_cdm)), encoding="utf-8")
    _run(checkout.resolve(), config.resolve(), folder)
    [result] = (folder / "result").glob("*_metric_result.json")
    return _scores(json.loads(result.read_text(encoding="utf-8")), kinds, with_cdm)


def _config(truth: Path, predictions: Path, with_cdm: bool) -> dict[str, Any]:
    """A configuration of the end-to-end task (JSON is YAML)."""
    return {
        "end2end_eval": {
            "metrics": {
                "text_block": {"metric": ["Edit_dist"]},
                "display_formula": {"metric": ["Edit_dist", *(["CDM"] if with_cdm else [])]},
                "table": {"metric": ["TEDS", "Edit_dist"]},
                "reading_order": {"metric": ["Edit_dist"]},
            },
            "dataset": {
                "dataset_name": "end2end_dataset",
                "ground_truth": {"data_path": str(truth)},
                "prediction": {"data_path": str(predictions)},
                "match_method": "quick_match",
            },
        }
    }


def _run(checkout: Path, config: Path, folder: Path) -> None:
    own = checkout / ".venv" / "bin" / "python"
    python = str(own) if own.is_file() else sys.executable
    command = [python, str(checkout / ENTRY), "--config", str(config)]
    run_scorer(command, folder, f"--scorer {checkout}", "result/*_metric_result.json")


def run_scorer(command: Sequence[str], folder: Path, name: str, makes: str) -> None:
    """Runs a publisher's scorer in ``folder``, where it ``makes`` files of such names. Raises ``UsageError`` with its
    last line if it fails; ``scorer.log`` has all that it said."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    (folder / "scorer.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    if done.returncode or not any(folder.glob(makes)):
        last = ([*done.stdout.splitlines(), *done.stderr.splitlines()] or ["it said nothing"])[-1]
        raise UsageError(f"{name}: failed ({last.strip()}); {folder / 'scorer.log'} has all of it")


def _scores(result: Mapping[str, Any], kinds: Mapping[str, str], with_cdm: bool) -> Scores:
    """The figures of the publisher's table of results (``tools/generate_result_tables.ipynb``): page averages."""

    def whole(element: str) -> float | None:
        value = result[element]["all"].get("Edit_dist", {}).get("ALL_page_avg")
        return float(value) if isinstance(value, int | float) else None

    def page(element: str, metric: str) -> float | None:
        value = result[element]["page"].get(metric, {}).get("ALL")
        return None if value is None else float(value)

    text, formula, cdm = whole("text_block"), whole("display_formula"), page("display_formula", "CDM")
    teds = page("table", "TEDS")
    last = cdm if with_cdm else (None if formula is None else 1 - formula)
    known = [100 * part for part in (None if text is None else 1 - text, teds, last) if part is not None]
    by_source = result["text_block"]["page"].get("Edit_dist", {})
    formula_name = "CDM" if with_cdm else "(1 - formula edit distance)"
    return Scores(
        {
            "text edit distance": text,
            "formula edit distance": formula,
            "CDM": cdm,
            "TEDS": teds,
            "TEDS structure": page("table", "TEDS_structure_only"),
            "reading order edit distance": whole("reading_order"),
        },
        overall=sum(known) / len(known) if known else None,
        overall_name=f"((1 - text edit distance) + TEDS + {formula_name}) / 3 (%), by the publisher's scorer",
        by_kind={
            shown: by_source[f"data_source: {source}"]
            for source, shown in kinds.items()
            if f"data_source: {source}" in by_source
        },
        kind_figure="text edit distance",
        remarks=() if with_cdm or formula is None else (CDM_REMARK,),
    )
