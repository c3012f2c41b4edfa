"""The suite in layers, by what a test needs beyond this process and a tiny model.

Plain ``pytest`` runs every test that needs none of :data:`LAYERS`, and of those that do a slice that touches each road
once (:data:`ROADS`). ``pytest --all`` runs everything, and so does a run that names files, folders, markers or words:
``pytest tests/serve``, ``pytest -m browser``. Markers are set from :data:`PATHS` and :data:`FIXTURES`, never by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

LAYERS = {
    "process": "starts, watches or kills processes of its own",
    "family": "a checkpoint of one model family after the other",
    "accelerator": "the simulated accelerator, which a C++ compiler builds",
    "recogniser": "recognises pages or pictures",
    "reader": "the bundled reader reads",
    "training": "teaches a reader or a head",
    "browser": "Chromium",
    "server": "a gateway or a server of models on loopback",
    "environment": "another environment: vLLM, llama.cpp, Ray, docling, other projects' clients",
}

PATHS = {
    "tests/accelerator": "accelerator",
    "tests/bench/test_fidelity.py": "reader",
    "tests/bench/test_speed.py": "reader",
    "tests/benchmarks/suites/test_suite_command.py": "reader",
    "tests/benchmarks/test_born_digital.py": "process",
    "tests/benchmarks/test_campaign.py": "process",
    "tests/benchmarks/test_drafts.py": "process",
    "tests/benchmarks/test_published_sizes.py": "family",
    "tests/benchmarks/test_scripted.py": "process",
    "tests/cli/test_bench_fidelity.py": "reader",
    "tests/cli/test_processes.py": "process",
    "tests/cli/test_remote.py": "server",
    "tests/corpus/test_kills.py": "process",
    "tests/corpus/test_ray.py": "environment",
    "tests/corpus/test_real_runs.py": "process",
    "tests/corpus/test_two_hundred.py": "process",
    "tests/documents/test_mupdf.py": "process",
    "tests/drafting/test_picture_text.py": "recogniser",
    "tests/drafting/test_ppstructure.py": "recogniser",
    "tests/drafting/test_rapidocr.py": "recogniser",
    "tests/drafting/test_recogniser.py": "recogniser",
    "tests/exactness/test_controls.py": "family",
    "tests/exactness/test_matrix.py": "family",
    "tests/generation/llama": "environment",
    "tests/generation/test_lifeline.py": "process",
    "tests/generation/test_server.py": "server",
    "tests/hierarchy/regions/test_known_faults.py": "reader",
    "tests/hierarchy/regions/test_known_pages.py": "recogniser",
    "tests/hierarchy/remote": "server",
    "tests/hierarchy/test_grading.py": "recogniser",
    "tests/isolation": "process",
    "tests/models": "process",
    "tests/proposing/test_bundled_heads.py": "reader",
    "tests/reader": "reader",
    "tests/serve": "server",
    "tests/serve/test_clients.py": "environment",
    "tests/serve/test_real_vllm.py": "environment",
    "tests/targets/families/test_families.py": "family",
    "tests/targets/recurrent": "family",
    "tests/test_base.py": "process",
    "tests/test_distribution.py": "environment",
    "tests/test_doctor.py": "recogniser",
    "tests/test_no_dialling.py": "process",
    "tests/test_offline.py": "process",
    "tests/test_plugins.py": "process",
    "tests/test_portable.py": "process",
    "tests/test_process.py": "process",
    "tests/training": "training",
    "tests/vllm": "environment",
}
"""Folders and files whose tests all need a layer; the longest path that a test's file begins with counts."""

FIXTURES = {"browser": "browser", "recogniser": "recogniser", "served": "server", "upstream": "server", "s3": "server"}
"""The layers of tests elsewhere, by a fixture that they use."""

ROADS = {
    "exactness, Qwen3-VL": r"exactness/.*\[qwen3_vl\b",
    "exactness, dots.ocr": r"exactness/.*\[dots_ocr\b",
    "a page read by a server": r"hierarchy/remote/test_parsing\.py::test_a_page_is_read_by_regions",
    "a request to docspec's own server": r"serve/test_own_engine\.py::test_a_line_is_read",
    "a request through the gateway": r"serve/test_passing_through\.py::test_a_prediction_becomes_drafts",
    "a run killed and gone on with": r"corpus/test_kills\.py::test_a_killed_run_goes_on",
    "a recognised page": r"drafting/test_rapidocr\.py::test_a_table_in_a_scan",
    "a page in the browser": r"reporting/test_view_browser\.py::test_block_and_box",
    "the bundled reader": r"reader/test_bundled\.py::test_it_reads_short_crops",
    "a child that is lost": r"isolation/test_losses\.py::test_a_page_that_takes_the_child_along_while",
    "the simulated accelerator": r"accelerator/test_device\.py::test_operations_give",
    "a head that is taught": r"training/test_blend\.py",
    "the command as a process": r"cli/test_processes\.py::test_module_and_entry_point",
}
"""What a run without ``--all`` touches of the layers: a road, and the pattern of the ids of the tests that take it."""

HERE = Path(__file__).parent


def layer_of(path: str, fixtures: frozenset[str]) -> str | None:
    """The layer of a test in the file ``path`` that uses ``fixtures``; ``None`` for one that needs nothing."""
    places = [place for place in PATHS if path == place or path.startswith(f"{place}/")]
    if places:
        return PATHS[max(places, key=len)]
    return next((layer for name, layer in FIXTURES.items() if name in fixtures), None)


class Layers:
    """Marks every test with its layer and leaves out what a run has not asked for."""

    def __init__(self, config: pytest.Config) -> None:
        for layer, needs in LAYERS.items():
            config.addinivalue_line("markers", f"{layer}: {needs}")
        self._left_out: Counter[str] = Counter()
        worker = getattr(config, "workerinput", None)
        self._everything: bool = worker["everything"] if worker else _is_everything(config)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["everything"] = self._everything

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        kept, left_out = [], []
        untouched = dict(ROADS)
        for item in items:
            layer = layer_of(item.nodeid.partition("::")[0], frozenset(getattr(item, "fixturenames", ())))
            if layer is not None:
                item.add_marker(layer)
            roads = [road for road, pattern in ROADS.items() if re.search(pattern, item.nodeid)]
            for road in roads:
                untouched.pop(road, None)
            if self._everything or layer is None or roads:
                kept.append(item)
            else:
                left_out.append(item)
                self._left_out[layer] += 1
        if untouched and not self._everything:
            raise pytest.UsageError(f"tests/layers.py: no test takes these roads: {', '.join(untouched)}")
        if left_out:
            items[:] = kept
            config.hook.pytest_deselected(items=left_out)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["left out"] = dict(self._left_out)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._left_out = Counter(getattr(node, "workeroutput", {}).get("left out", {})) or self._left_out

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        if self._left_out and terminal is not None:
            counts = ", ".join(f"{count} {layer}" for layer, count in sorted(self._left_out.items()))
            terminal.write_line(f"left out, `pytest --all` runs them: {counts}")


def _is_everything(config: pytest.Config) -> bool:
    """Whether the run asks for all layers: by ``--all``, or because it names tests itself."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS and any(
        Path(argument.partition("::")[0]).resolve() not in (HERE, HERE.parent) for argument in config.args
    )
    return bool(named or config.getoption("--all") or config.option.markexpr or config.option.keyword)
