"""The suite in layers, by what a test needs beyond this process and a tiny model.

Plain ``pytest`` runs every test that needs none of :data:`LAYERS`, and of those that do a slice that touches each road
once (:data:`ROADS`). ``pytest --all`` runs everything, and so does a run that names files, folders, markers or words:
``pytest tests/serve``, ``pytest -m browser``. Markers are set from :data:`PATHS` and :data:`FIXTURES`, never by hand.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docspec.isolation.child import BOOT

LAYERS = {
    "process": "starts, watches or kills processes of its own",
    "family": "a checkpoint of one model family after the other",
    "accelerator": "the simulated accelerator, which a C++ compiler builds",
    "recogniser": "recognises pages or pictures",
    "reader": "the bundled reader reads",
    "sweep": "many cases of one thing, or one that is very large",
    "training": "teaches a reader or a head",
    "browser": "Chromium",
    "server": "a gateway or a server of models on loopback",
    "environment": "another environment: vLLM, llama.cpp, Ray, docling, other projects' clients and frameworks",
}

PATHS = {
    "tests/accelerator": "accelerator",
    "tests/bench/test_fidelity.py": "reader",
    "tests/bench/test_speed.py": "reader",
    "tests/benchmarks/test_transcripts.py::test_the_bench_needs_no_torch": "process",
    "tests/benchmarks/device/test_driver.py": "process",
    "tests/benchmarks/device/test_vllm_kit.py": "process",
    "tests/benchmarks/device/test_whole_run.py": "process",
    "tests/benchmarks/suites/test_journal.py::test_a_run_killed_at_three_moments_goes_on_and_ends_with": "process",
    "tests/benchmarks/suites/test_made_tables.py::test_the_bare_command_reads": "sweep",
    "tests/benchmarks/suites/test_omnidocbench.py::test_a_checkout": "process",
    "tests/benchmarks/suites/test_parsebench.py::test_scores_are_those_of_the_package": "environment",
    "tests/benchmarks/suites/test_suite_command.py": "reader",
    "tests/benchmarks/test_born_digital.py": "process",
    "tests/benchmarks/test_campaign.py": "process",
    "tests/benchmarks/test_cards.py::test_the_page": "family",
    "tests/benchmarks/test_drafts.py": "process",
    "tests/benchmarks/test_languages.py::test_the_bare_command_is_measured": "process",
    "tests/benchmarks/test_overlap.py": "sweep",
    "tests/benchmarks/test_published_sizes.py": "family",
    "tests/benchmarks/test_scripted.py": "process",
    "tests/benchmarks/test_view_picture.py::test_the_picture_shows": "browser",
    "tests/benchmarks/test_words.py::test_readers_are_measured": "sweep",
    "tests/cli/test_bare_environments.py": "process",
    "tests/cli/test_bench_fidelity.py": "reader",
    "tests/cli/test_folders.py::test_outputs_go_as_deep_as_their_inputs": "sweep",
    "tests/cli/test_full_disk.py": "process",
    "tests/cli/test_processes.py": "process",
    "tests/cli/test_remote.py": "server",
    "tests/cli/test_reports.py::test_an_interrupt_that_an_import_turns_into_another_error_is_one_line": "process",
    "tests/cli/test_reports.py::test_a_signal_that_a_library_swallows_still_ends_the_run": "process",
    "tests/cli/test_reports.py::test_an_interrupt_at_any_moment_of_the_start_is_one_line": "process",
    "tests/cli/test_reports.py::test_closed_standard_streams_are_neither_a_crash_nor_a_silent_loss": "process",
    "tests/cli/test_secrets.py": "server",
    "tests/cli/test_without_torch.py": "process",
    "tests/cli/test_words.py::test_a_shell_can_ask_how_a_word_goes_on": "process",
    "tests/corpus/test_journal.py::test_a_page_with_one_value_changed": "sweep",
    "tests/corpus/test_kills.py": "process",
    "tests/corpus/test_ray.py": "environment",
    "tests/corpus/test_real_runs.py": "process",
    "tests/corpus/test_two_hundred.py": "process",
    "tests/dialects/test_make_dialect.py::test_making_dialects_imports_neither_torch_nor_numpy": "process",
    "tests/documented/test_commands.py::test_the_smallest_form": "process",
    "tests/documents/test_mupdf.py": "process",
    "tests/drafting/test_auto.py::test_importing_the_packages_loads_nothing_heavy": "process",
    "tests/drafting/test_picture_text.py": "recogniser",
    "tests/drafting/test_ppstructure.py": "recogniser",
    "tests/drafting/test_ppstructure_models.py::test_importing_the_drafter_imports_neither_paddle_nor": "process",
    "tests/drafting/test_rapidocr.py": "recogniser",
    "tests/drafting/test_recogniser.py": "recogniser",
    "tests/drafting/test_ruled.py::test_cells_of_right_to_left_text": "sweep",
    "tests/drafting/test_sheet.py::test_a_photograph": "recogniser",
    "tests/drafting/test_tesseract.py": "recogniser",
    "tests/drafting/test_text_layer.py::test_memory_does_not_grow_with_drafted_pages": "process",
    "tests/drafting/test_text_layer.py::test_ten_thousand_short_lines": "sweep",
    "tests/drafting/test_unruled.py::test_the_command_writes_a_price_list_of_a4_as_a_table": "process",
    "tests/exactness/test_controls.py": "family",
    "tests/exactness/test_matrix.py": "family",
    "tests/examples": "process",
    "tests/generation/llama": "environment",
    "tests/generation/test_environment.py": "server",
    "tests/generation/test_lifeline.py": "process",
    "tests/generation/test_local.py::test_a_program_that_does_not_close_it_ends_well": "process",
    "tests/generation/test_processes.py": "process",
    "tests/generation/test_server.py": "server",
    "tests/generation/test_server_refusals.py": "server",
    "tests/hierarchy/regions/test_known_faults.py": "reader",
    "tests/hierarchy/regions/test_known_pages.py": "recogniser",
    "tests/hierarchy/remote": "server",
    "tests/hierarchy/test_grading.py": "recogniser",
    "tests/integrations": "environment",
    "tests/isolation": "process",
    "tests/ledger/test_mutations.py": "sweep",
    "tests/models": "process",
    "tests/proposing/methods/test_bundled_heads.py": "reader",
    "tests/proposing/methods/test_teaching.py": "training",
    "tests/reader": "reader",
    "tests/reporting/test_formats.py::test_a_result_with_one_value_changed": "sweep",
    "tests/reporting/test_joined_tables.py": "sweep",
    "tests/reporting/test_staging.py::test_a_pipe_named_as_a_file_is_written_to": "process",
    "tests/reporting/test_staging.py::test_only_what_dead_runs_left_is_cleared_away": "process",
    "tests/samples/test_samples.py::test_making_them_again": "process",
    "tests/serve": "server",
    "tests/serve/test_clients.py": "environment",
    "tests/serve/test_real_vllm.py": "environment",
    "tests/targets/families/test_cards.py::test_families_cost_no_torch": "process",
    "tests/targets/families/test_families.py": "family",
    "tests/targets/recurrent": "family",
    "tests/targets/test_dots_ocr_processing.py::test_naming_the_package_imports_no_torch": "process",
    "tests/targets/test_gates.py::test_all_others_by_tritons_interpreter": "process",
    "tests/targets/test_early_keys.py::test_all_others_by_tritons_interpreter": "process",
    "tests/targets/test_merged_families.py::test_all_others_by_tritons_interpreter": "process",
    "tests/targets/test_merged_products.py::test_all_others_by_tritons_interpreter": "process",
    "tests/targets/test_merged.py::test_all_others_by_tritons_interpreter": "process",
    "tests/targets/test_norms.py::test_all_others_by_tritons_interpreter": "process",
    "tests/targets/test_rotation.py::test_all_others_by_tritons_interpreter": "process",
    "tests/targets/test_tree_attention.py::test_all_others_by_tritons_interpreter": "process",
    "tests/test_base.py": "process",
    "tests/test_containers.py::test_the_watcher_reads": "process",
    "tests/test_distribution.py": "process",
    "tests/test_distribution.py::test_the_other_project_of_that_name": "environment",
    "tests/test_doctor.py": "recogniser",
    "tests/test_inspect.py": "process",
    "tests/test_layers.py": "process",
    "tests/test_linear_time.py": "sweep",
    "tests/test_no_dialling.py": "process",
    "tests/test_offline.py": "process",
    "tests/test_package.py::test_importing_docspec_imports_nothing_heavy": "process",
    "tests/test_plugins.py": "process",
    "tests/test_portable.py": "process",
    "tests/test_process.py": "process",
    "tests/training": "training",
    "tests/vllm": "environment",
}
"""Folders, files and single tests that need a layer: beginnings of the ids of tests, of which the longest counts."""

FIXTURES = {"browser": "browser", "recogniser": "recogniser", "served": "server", "upstream": "server", "s3": "server"}
"""The layers of tests elsewhere, by a fixture that they use."""

ROADS = (
    "tests/test_linear_time.py::test_a_loop_of_any_piece_is_read_in_time_that_grows_with_it[words]",
    "tests/accelerator/test_device.py::test_operations_give_what_the_cpu_gives",
    "tests/cli/test_full_disk.py::test_a_full_disk_ends_the_run_and_the_same_command_goes_on[within a document]",
    "tests/cli/test_processes.py::test_module_and_entry_point_are_the_same_program",
    "tests/corpus/test_kills.py::test_a_killed_run_goes_on_to_the_same_end",
    "tests/drafting/test_rapidocr.py::test_a_table_in_a_scan_becomes_html",
    "tests/drafting/test_ruled.py::test_cells_of_right_to_left_text_are_in_logical_order[hebrew]",
    "tests/exactness/test_controls.py::test_wrong_positions_or_masks_are_seen[qwen3_vl]",
    "tests/exactness/test_matrix.py::test_every_family_and_every_pair_is_here",
    "tests/exactness/test_matrix.py::test_what_is_written_is_what_generate_writes[dots_ocr-",
    "tests/exactness/test_matrix.py::test_what_is_written_is_what_generate_writes[qwen3_vl-",
    "tests/generation/test_processes.py::test_a_request_that_takes_its_process_along_fails_alone",
    "tests/hierarchy/remote/test_parsing.py::test_a_page_is_read_by_regions_all_crops_at_once",
    "tests/isolation/test_losses.py::test_a_page_that_takes_the_child_along_while_it_is_drawn_is_lost_alone",
    "tests/reader/test_bundled.py::test_it_reads_short_crops_of_text_it_has_never_seen",
    "tests/reporting/test_joined_tables.py::test_a_table_over_two_pages_is_one[statement-",
    "tests/reporting/test_joined_tables.py::test_two_tables_stay_two[fewer columns]",
    "tests/reporting/test_view_browser.py::test_block_and_box_are_linked_both_ways",
    "tests/serve/test_own_engine.py::test_a_line_is_read_and_a_prediction_changes_nothing_but_the_steps",
    "tests/serve/test_passing_through.py::test_a_prediction_becomes_drafts",
    "tests/test_inspect.py::test_the_command_has_a_line_for_each_file_and_codes_for_scripts",
    "tests/training/test_blend.py::test_weights_lie_between_two_checkpoints_where_they_were_asked_for",
)
"""What a run without ``--all`` touches of the layers: the beginnings of the ids of one test or a few on each road."""

HERE = Path(__file__).parent


def layer_of(node: str, fixtures: frozenset[str] = frozenset()) -> str | None:
    """The layer of the test with the id ``node`` that uses ``fixtures``; ``None`` for one that needs nothing."""
    beginnings = [path for path in PATHS if node.startswith(path)]
    if beginnings:
        return PATHS[max(beginnings, key=len)]
    return next((layer for name, layer in FIXTURES.items() if name in fixtures), None)


class Layers:
    """Marks every test with its layer, and leaves out what a run does not ask for: files without being imported."""

    def __init__(self, config: pytest.Config) -> None:
        for layer, needs in LAYERS.items():
            config.addinivalue_line("markers", f"{layer}: {needs}")
        self._root = config.rootpath
        self._pythons = StartedPythons()
        self._left_out: set[str] = set()
        worker = getattr(config, "workerinput", None)
        self._everything: bool = worker["everything"] if worker else _is_everything(config)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["everything"] = self._everything

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        path = collection_path.relative_to(self._root).as_posix()
        layer = layer_of(path)
        if (
            self._everything
            or layer is None
            or collection_path.suffix != ".py"
            or any(road.startswith(path) for road in ROADS)
        ):
            return None
        self._left_out.add(layer)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        kept, left_out = [], []
        for item in items:
            layer = layer_of(item.nodeid, frozenset(getattr(item, "fixturenames", ())))
            if layer is not None:
                item.add_marker(layer)
            if self._everything or layer is None or any(item.nodeid.startswith(road) for road in ROADS):
                kept.append(item)
            else:
                left_out.append(item)
                self._left_out.add(layer)
        if left_out:
            items[:] = kept
            config.hook.pytest_deselected(items=left_out)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """A test of no layer that starts a Python fails: that takes longer than most tests."""
        self._pythons.commands.clear()
        yield
        if self._pythons.commands and not any(item.get_closest_marker(layer) for layer in LAYERS):
            pytest.fail(f"it starts {self._pythons.commands[0]}: name its file in tests/layers.py")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["left out"] = sorted(self._left_out)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._left_out.update(getattr(node, "workeroutput", {}).get("left out", ()))

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        if self._left_out and terminal is not None:
            layers = ", ".join(layer for layer in LAYERS if layer in self._left_out)
            terminal.write_line(f"left out but for a few tests, `pytest --all` runs them: {layers}")


def _is_everything(config: pytest.Config) -> bool:
    """Whether the run asks for all layers: by ``--all``, or because it names tests itself."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS and any(
        Path(argument.partition("::")[0]).resolve() not in (HERE, HERE.parent) for argument in config.args
    )
    return bool(named or config.getoption("--all") or config.option.markexpr or config.option.keyword)


class StartedPythons:
    """Notes the commands that start a Python, but for children that open pages and the server of forks."""

    def __init__(self) -> None:
        self.commands: list[str] = []
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "subprocess.Popen":
            words = [arguments[1]] if isinstance(arguments[1], str) else list(map(os.fsdecode, arguments[1]))
            command = " ".join(words)
            if sys.executable in command and BOOT not in words:
                self.commands.append(command[:200])
