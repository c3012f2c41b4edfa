"""The package's import graph: no circles, and no arrow that runs back up (who may import whom is the table below)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import docspec

ROOT = Path(docspec.__file__).parent

READING = {"core", "documents", "mathematics", "drafting", "dialects", "targets", "engine", "proposing", "hierarchy"}
MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "versions": {"core"},
    "console": {"core", "models", "process", "proposing", "targets"},
    "documents": {"core"},
    "ledger": {"core", "documents"},
    "places": {"core", "ledger"},
    "accounting": {"core", "drafting", "ledger", "places", "reporting"},
    "mathematics": {"core", "documents"},
    "drafting": {"core", "documents", "mathematics"},
    "dialects": {"core"},
    "reporting": {"core", "process"},
    "reader": {"core"},
    "targets": {"core"},
    "models": {"core", "targets"},
    "generation": {"core", "engine", "isolation", "offline", "proposing", "targets"},
    "engine": {"core", "targets"},
    "proposing": {"core", "engine", "targets"},
    "vllm": {"core", "engine", "proposing", "targets"},
    "hierarchy": {*READING, "generation"},
    "inspection": {"core", "documents", "drafting", "isolation"},
    "lookahead": set(),
    "isolation": {"core", "documents", "drafting", "lookahead", "offline", "process"},
    "process": {"core"},
    "offline": {"core", "process"},
    "results": {"core", "reporting"},
    "retrieval": {"core", "reporting"},
    "device_engine": {"core", "engine", "generation", "hierarchy", "process", "targets"},
    "opening": {*READING, "device_engine", "generation", "offline"},
    "verifier": {*READING, "device_engine", "generation", "isolation", "opening"},
    "page_stream": {"accounting", "core", "documents", "drafting", "isolation", "lookahead", "verifier"},
    "parser": {*READING, "accounting", "isolation", "offline", "opening", "page_stream", "results", "verifier"},
    "corpus": {
        *("core", "console", "documents", "drafting", "generation", "isolation", "reporting", "targets"),
        *("accounting", "opening", "parser"),
    },
    "doctor": {"core", "drafting", "targets", "versions"},
    "serve": {
        *("core", "dialects", "documents", "drafting", "engine", "generation", "hierarchy", "isolation", "parser"),
        *("places", "reporting", "targets", "versions", "vllm"),
    },
}
"""Rooms of ``docspec`` and the rooms that each may import; the front doors below may import everything else."""

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


def test_nothing_imports_the_methods_of_papers() -> None:
    """They are a plug-in, found by its entry points (``methods/``)."""
    home = ROOT.parent / "methods"
    methods = {".".join(file.relative_to(home).with_suffix("").parts) for file in home.rglob("*.py")}
    beside = [file for name in ("docspec", "benchmarks", "training") for file in (ROOT.parent / name).rglob("*.py")]
    assert [file for file in beside if list(imported(file.read_text("utf-8"), methods))] == []
    assert list(imported("from docspec_methods.loading import load_head", methods)) == ["docspec_methods.loading"]


def test_the_engine_knows_the_protocol_of_targets_alone() -> None:
    used = {target for module in graph() if room(module) == "engine" for target in graph()[module]}
    assert {target for target in used if room(target) == "targets"} == {"docspec.targets.protocol"}


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
