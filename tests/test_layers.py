"""The layers name files and tests that are there, and leave out nothing that a run asks for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.layers import HERE, LAYERS, PATHS, ROADS, StartedPythons, layer_of

ROOT = HERE.parent


@pytest.mark.parametrize("node", [*PATHS, *ROADS])
def test_what_is_named_is_there(node: str) -> None:
    path, _, name = node.partition("::")
    assert (ROOT / path).exists()
    assert re.search(rf"^def {name.partition('[')[0]}", (ROOT / path).read_text(), re.MULTILINE) if name else True


@pytest.mark.parametrize("road", ROADS)
def test_every_road_is_a_test_of_a_layer(road: str) -> None:
    assert layer_of(road) in LAYERS or "browser" in road, "a browser is a fixture"


def test_the_longest_path_counts() -> None:
    assert layer_of("tests/serve/test_mcp.py") == "server"
    assert layer_of("tests/serve/test_clients.py") == "environment"
    assert layer_of("tests/core/test_options.py") is None
    assert layer_of("tests/core/test_options.py", frozenset({"recogniser"})) == "recogniser"


def test_pythons_that_start_are_noted() -> None:
    started = StartedPythons()
    subprocess.run(["true"], check=True)
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    assert [command.endswith("-c pass") for command in started.commands] == [True]


def collected(*words: str) -> tuple[set[str], str]:
    """The files whose tests ``pytest`` with ``words`` collects, and its last line."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *words]
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}  # CI's is --all
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, env=environment)
    lines = ran.stdout.splitlines()
    return {line.partition("::")[0] for line in lines if "::" in line}, [line for line in lines if line][-1]


def test_a_run_that_names_a_folder_has_all_of_it_and_one_that_names_none_says_what_it_leaves_out() -> None:
    files, last = collected("tests/isolation")
    assert {Path(file).name for file in files} >= {"test_ends.py", "test_losses.py"} and "left out" not in last
    files, last = collected()
    assert "tests/isolation/test_ends.py" not in files and "tests/core/test_failures.py" in files
    assert last.startswith("left out") and "environment" in last and "accelerator" in last
