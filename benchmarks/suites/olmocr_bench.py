"""olmOCR-Bench (arXiv 2502.18443): one-page PDFs, each with small tests that what was written passes or fails.

Published as ``bench_data/*.jsonl``, one test a line, with ``bench_data/pdfs/`` (allenai/olmOCR-bench). A page's kind is
the file of its tests. Tests are run by their authors' own package ``olmocr`` (0.4.27 was tried), and
the figure is that of ``olmocr.bench.benchmark``: the mean over files of the share of tests passed, with a test of its
own for every PDF without one that its text is no rubbish (*baseline*, a file of its own), and a bootstrap interval.
What that package asks for does not go with transformers 5; its scorer runs with what is in the extra ``suites``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.extras import require
from benchmarks.suites.item import Item, Scores
from docspec.core import InputError, UsageError

PURPOSE = "scoring olmOCR-Bench"
MISSING = (
    "not scored: olmOCR-Bench is scored by the package olmocr, which is not installed: "
    "pip install 'docspec-vlm[suites]', then pip install --no-deps olmocr==0.4.27"
)
BASELINE = "baseline"
ABSENT = "absent"
BOOTSTRAP_SEED = 0


class OlmocrBench:
    """The data set in a folder with ``pdfs`` and files of tests, or with a folder ``bench_data`` that is so."""

    name = "olmocr-bench"
    title = "olmOCR-Bench"

    def __init__(self, folder: Path) -> None:
        inner = folder / "bench_data"
        self._folder = inner if inner.is_dir() else folder

    @classmethod
    def fits(cls, folder: Path) -> bool:
        return any((root / "pdfs").is_dir() and any(root.glob("*.jsonl")) for root in (folder, folder / "bench_data"))

    def items(self) -> Sequence[Item]:
        tests: dict[tuple[str, int], list[dict[str, Any]]] = {}
        kinds: dict[tuple[str, int], str] = {}
        for file in sorted(self._folder.glob("*.jsonl")):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if not line.strip():
                    continue
                try:
                    test = json.loads(line)
                    page = (test["pdf"], int(test["page"]))
                    tests.setdefault(page, []).append({"file": file.stem, "test": test})
                except (ValueError, KeyError, TypeError) as error:
                    raise InputError(f"{file}: line {number} is no test of olmOCR-Bench ({error!r})") from error
                kinds.setdefault(page, file.stem)
        return [
            Item(
                f"{Path(pdf).with_suffix('').as_posix()}_pg{page}",
                self._folder / "pdfs" / pdf,
                kinds[pdf, page],
                page,
                truth=tests[pdf, page],
            )
            for pdf, page in sorted(tests)
        ]

    def score(self, items: Sequence[Item], outputs: Mapping[str, str]) -> Scores:
        if find_spec("olmocr") is None:
            raise UsageError(MISSING)
        library = require("olmocr.bench.tests", PURPOSE, "suites")
        passed: dict[str, list[float]] = {}
        types: dict[str, list[float]] = {}
        unrun: list[str] = []
        pages: dict[str, list[tuple[str, bool]]] = {}
        for file, test, item in _tests(items):
            loaded = _loaded(library, test, unrun)
            if loaded is None:
                continue
            ok, _ = loaded.run(outputs.get(item.id, ""))
            passed.setdefault(file, []).append(float(ok))
            types.setdefault(test["type"], []).append(float(ok))
            pages.setdefault(item.id, []).append((test["type"], ok))
        if not passed:
            return Scores({}, remarks=_remarks(unrun))
        rates = {file: fmean(results) for file, results in passed.items()}
        return Scores(
            {f"{name} tests": 100 * fmean(results) for name, results in sorted(types.items())}
            | {"all tests": 100 * fmean(one for results in types.values() for one in results)}
            | _earned(pages),
            overall=100 * fmean(rates.values()),
            overall_name="mean over the files of tests of the share of tests passed (%)",
            by_kind={file: 100 * rate for file, rate in rates.items()},
            kind_figure="tests passed (%)",
            interval=_interval(passed),
            remarks=_remarks(unrun),
        )


def _earned(pages: Mapping[str, Sequence[tuple[str, bool]]]) -> dict[str, float]:
    """docspec's own figures beside the publisher's: of what is ``absent`` nothing is earned by a page whose baseline
    test fails, or of whose other tests none passes, since garbage holds no page numbers either."""
    absent: list[float] = []
    every: list[float] = []
    for tests in pages.values():
        others = [ok for kind, ok in tests if kind not in (ABSENT, BASELINE)]
        is_text = all(ok for kind, ok in tests if kind == BASELINE) and (any(others) or not others)
        for kind, ok in tests:
            earned = float(ok and (kind != ABSENT or is_text))
            every.append(earned)
            absent += [earned] if kind == ABSENT else []
    if not absent:
        return {}
    return {
        "absent tests, earned by pages of text alone": 100 * fmean(absent),
        "all tests, with absent ones earned so": 100 * fmean(every),
    }


def _tests(items: Sequence[Item]) -> list[tuple[str, dict[str, Any], Item]]:
    """Every test with its file and its page; the baseline test of a PDF that has none stands last."""
    found = [(one["file"], one["test"], item) for item in items for one in item.truth]
    with_baseline = {test["pdf"] for _, test, _ in found if test["type"] == BASELINE}
    for item in items:
        pdf = item.truth[0]["test"]["pdf"]
        if pdf not in with_baseline and item.page == 1:
            own = {"pdf": pdf, "page": 1, "id": f"{pdf}_baseline", "type": BASELINE}
            found.append((BASELINE, own, item))
    return found


def _loaded(library: Any, test: dict[str, Any], unrun: list[str]) -> Any:
    """The test as the package makes it; ``None``, and counted, where formulas cannot be rendered for want of a
    browser."""
    try:
        return library.load_single_test(test)
    except library.ValidationError:
        raise
    except Exception as error:
        if test["type"] != "math":
            raise
        unrun.append(" ".join(str(error).split()) or type(error).__name__)
        return None


def _remarks(unrun: Sequence[str]) -> tuple[str, ...]:
    """What is said of tests that were not run; later ones fail of the first one's failure."""
    if not unrun:
        return ()
    return (
        f"{len(unrun)} tests of formulas were not run, as olmocr could not render them ({unrun[0][:120]}): "
        "playwright install chromium",
    )


def _interval(passed: Mapping[str, Sequence[float]]) -> tuple[float, float]:
    """The package's own bootstrap of 1,000 resamples within files, with a seed that stays."""
    import numpy

    bootstrap = require("olmocr.bench.utils", PURPOSE, "suites").calculate_bootstrap_ci
    state = numpy.random.get_state()
    numpy.random.seed(BOOTSTRAP_SEED)
    try:
        scores = [score for results in passed.values() for score in results]
        low, high = bootstrap(scores, splits=[len(results) for results in passed.values()])
    finally:
        numpy.random.set_state(state)
    return 100 * float(low), 100 * float(high)
