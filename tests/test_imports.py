"""The package's import graph: no circles, and no arrow that runs back up (who may import whom is the table below)."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

import docspec
from docspec.core.extras import EXTRAS

ROOT = Path(docspec.__file__).parent

READING = {"core", "documents", "drafting", "dialects", "targets", "engine", "heads", "proposing", "hierarchy"}
MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "versions": set(),
    "console": {"core", "models", "process", "proposing", "targets"},
    "documents": {"core"},
    "ledger": {"core", "documents"},
    "accounting": {"core", "drafting", "ledger", "reporting"},
    "drafting": {"core", "documents"},
    "dialects": {"core"},
    "reporting": {"core", "process"},
    "reader": {"core"},
    "targets": {"core"},
    "models": {"core", "targets"},
    "generation": {"core", "engine", "proposing", "targets"},
    "engine": {"core", "targets"},
    "heads": {"core", "targets"},
    "proposing": {"core", "engine", "heads", "targets"},
    "vllm": {"core", "engine", "proposing", "targets"},
    "hierarchy": {*READING, "generation"},
    "lookahead": set(),
    "isolation": {"core", "documents", "drafting", "ledger", "lookahead", "offline", "process"},
    "process": set(),
    "offline": {"core", "process"},
    "results": {"core", "reporting"},
    "verifier": {*READING, "isolation", "page_stream"},
    "remote_verifier": {*READING, "generation", "isolation", "offline", "page_stream", "verifier"},
    "devices": {"core", "drafting", "hierarchy", "isolation", "page_stream", "targets"},
    "page_stream": {"accounting", "core", "documents", "drafting", "isolation", "lookahead", "targets"},
    "parser": {
        *READING,
        "accounting",
        "devices",
        "isolation",
        "offline",
        "page_stream",
        "results",
        "remote_verifier",
        "verifier",
    },
    "corpus": {
        *("core", "console", "documents", "drafting", "generation", "isolation", "reporting", "targets"),
        *("accounting", "parser", "remote_verifier"),
    },
    "doctor": {"core", "drafting", "targets", "versions"},
    "serve": {
        *("core", "dialects", "documents", "drafting", "engine", "generation", "hierarchy", "isolation", "parser"),
        *("reporting", "targets", "versions", "vllm"),
    },
}
"""Rooms of ``docspec`` and the rooms that each may import; the front doors below may import everything else."""

NEEDS_LOCAL = {
    "docspec.bench.device",
    "docspec.bench.device_checks",
    "docspec.bench.fidelity",
    "docspec.bench.generate",
    "docspec.bench.step",
    "docspec.heads",
    "docspec.proposing.device_walk",
    "docspec.proposing.draft_at_once",
    "docspec.proposing.head_memory",
    "docspec.proposing.head_tree",
    "docspec.targets",
}
"""Rooms and modules that need the extra ``local`` as soon as they are imported. All others are the base: they are
imported without torch, transformers and paddle, and what needs one of these imports it where it is used."""

NEEDS_SERVE = {"docspec.serve"}
"""The same of the extra ``serve``."""

BASE_OF_TARGETS = {
    "docspec.targets.model_profile",
    "docspec.targets.chat_template",
    "docspec.targets.devices",
    "docspec.targets.estimate",
    "docspec.targets.families",
    "docspec.targets.family",
    "docspec.targets.kv",
    "docspec.targets.protocol",
    "docspec.targets.registry",
    "docspec.targets.stepping.step",
    "docspec.targets.validation",
}
"""What is known of targets without loading one."""

FRONT_DOORS = {"", "__main__", "bench", "cli"}


def name_of(file: Path) -> str:
    parts = ("docspec", *file.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(file): file for file in ROOT.rglob("*.py")}


def imported(source: str, modules: set[str]) -> Iterator[str]:
    """The modules that ``source`` names in imports, in functions and for type checking too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in modules:
                    yield inner
                elif node.module in modules:
                    yield node.module


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Nodes that reach each other, in groups: what is left when nodes that import nothing (more) are taken away, and
    of that what nobody imports."""
    left = {node: set(targets) & graph.keys() - {node} for node, targets in graph.items()}
    for _ in range(2):
        while ends := {node for node, targets in left.items() if not targets}:
            left = {node: targets - ends for node, targets in left.items() if node not in ends}
        left = {node: {other for other, targets in left.items() if node in targets} for node in left}
    return [[node, *sorted(targets)] for node, targets in left.items()]


@cache
def graph() -> dict[str, set[str]]:
    """Of each module the modules that it imports."""
    return {name: set(imported(file.read_text(), set(MODULES))) for name, file in MODULES.items()}


def room(module: str) -> str:
    return [*module.split("."), ""][1]


def test_no_module_imports_itself_in_a_circle() -> None:
    assert circles(graph()) == []


def test_no_room_imports_itself_in_a_circle() -> None:
    rooms: dict[str, set[str]] = {}
    for module, targets in graph().items():
        rooms.setdefault(room(module), set()).update(map(room, targets))
    assert circles(rooms) == []


def test_no_arrow_runs_back_up() -> None:
    wrong = [
        f"{module} imports {target}"
        for module, targets in graph().items()
        if room(module) not in FRONT_DOORS
        for target in targets
        if room(target) not in {room(module), *MAY_IMPORT.get(room(module), set())}
    ]
    assert wrong == []
    of_bench = {target for module in graph() if room(module) == "bench" for target in graph()[module]}
    assert "cli" not in map(room, of_bench)


def test_the_engine_knows_the_protocol_of_targets_alone() -> None:
    used = {target for module in graph() if room(module) == "engine" for target in graph()[module]}
    assert {target for target in used if room(target) == "targets"} == {"docspec.targets.protocol"}


EXTRA_MODULES = [*chain(*EXTRAS.values()), "paddle", "torchvision"]

FORBIDDING = """
import importlib, json, sys

class Forbid:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRA_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

EXTRA_MODULES = json.loads(sys.argv[1])
sys.meta_path.insert(0, Forbid())
"""


def without_extras(code: str, *arguments: str) -> str:
    """What ``code`` prints, in a process in which no module of an extra can be imported."""
    words = [sys.executable, "-c", FORBIDDING + code, json.dumps(EXTRA_MODULES), *arguments]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=300, cwd=ROOT.parent)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def below(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def test_the_base_is_imported_without_the_packages_of_extras() -> None:
    asked = [name for name in MODULES if not name.endswith("__main__")]
    code = """
failed = {}
for name in json.loads(sys.argv[2]):
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed[name] = str(error)
print(json.dumps(failed))
"""
    failed = json.loads(without_extras(code, json.dumps(asked)))
    needs = {name: next((one for one in NEEDS_LOCAL | NEEDS_SERVE if below(name, one)), None) for name in failed}
    wrong = [name for name, entry in needs.items() if entry is None or any(below(name, one) for one in BASE_OF_TARGETS)]
    assert {name: failed[name] for name in wrong} == {}
    assert (NEEDS_LOCAL | NEEDS_SERVE) - set(needs.values()) == set(), "these are part of the base by now"


def test_the_base_says_what_it_lacks_in_one_line(tmp_path: Path) -> None:
    """A page whose words are all known is read all the same, as it needs no model."""
    code = """
from docspec.cli.app import run
words = json.loads(sys.argv[2])
print(json.dumps([run(one) for one in words]))
"""
    page, out = str(ROOT.parent / "samples" / "notes.pdf"), str(tmp_path / "out.md")
    words = [
        ["parse", page, "-o", out],
        ["parse", page, "-o", out, "--words", "model"],
        ["bench", "step", "--model", "mini"],
        ["doctor"],
    ]
    told = subprocess.run(
        [sys.executable, "-c", FORBIDDING + code, json.dumps(EXTRA_MODULES), json.dumps(words)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "COLUMNS": "200"},
    )
    assert json.loads(told.stdout.splitlines()[-1]) == [0, 1, 1, 1], told.stderr
    assert Path(out).read_text(encoding="utf-8").strip()
    assert told.stderr.count("pip install 'docspec-vlm[local]', or point --server at") == 2, told.stderr
    assert "Traceback" not in told.stderr
    assert "torch and transformers and" in told.stdout, "doctor says which extras are there"


@pytest.mark.parametrize(
    ("graph", "found"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, set()),
        ({"a": {"b"}, "b": {"a"}, "c": {"a"}, "d": set()}, {"a", "b"}),
        ({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"a"}}, {"a", "b", "c"}),
    ],
)
def test_circles_are_found(graph: dict[str, set[str]], found: set[str]) -> None:
    assert {node for circle in circles(graph) for node in circle} == found


def test_imports_are_seen_wherever_they_stand() -> None:
    source = "if TYPE_CHECKING:\n    from a.b import c\ndef f():\n    import a\n    from a import d, b\n"
    assert list(imported(source, {"a", "a.b"})) == ["a.b", "a", "a", "a.b"]
