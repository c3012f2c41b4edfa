"""The base, which is what is installed without extras: it is imported without torch, and says what it lacks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import chain
from pathlib import Path

from docspec.core.extras import EXTRAS
from tests.test_imports import MODULES, ROOT

NEEDS_LOCAL = {
    "docspec.bench.device",
    "docspec.bench.device_checks",
    "docspec.bench.fidelity",
    "docspec.bench.generate",
    "docspec.bench.step",
    "docspec.targets",
}
"""Rooms and modules that need the extra ``local`` as soon as they are imported. All others are the base: they are
imported without torch, transformers and paddle, and what needs one of these imports it where it is used."""

NEEDS_SERVE = {"docspec.serve"}
"""The same of the extra ``serve``."""

NEEDS_VLLM = {f"docspec.vllm.{name}" for name in ("cursor", "head", "scheduler", "speculator")}
"""What vLLM itself loads, in a process that has it and torch."""

BASE_OF_TARGETS = {
    "docspec.targets.model_profile",
    "docspec.targets.chat_template",
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
    rooms = NEEDS_LOCAL | NEEDS_SERVE | NEEDS_VLLM
    needs = {name: next((one for one in rooms if below(name, one)), None) for name in failed}
    wrong = [name for name, entry in needs.items() if entry is None or any(below(name, one) for one in BASE_OF_TARGETS)]
    assert {name: failed[name] for name in wrong} == {}
    assert rooms - set(needs.values()) == set(), "these are part of the base by now"


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
        ["bench", "fidelity", page, "--model", "mini"],
        ["doctor"],
    ]
    told = subprocess.run(
        [sys.executable, "-c", FORBIDDING + code, json.dumps(EXTRA_MODULES), json.dumps(words)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "COLUMNS": "200"},
    )
    assert json.loads(told.stdout.splitlines()[-1]) == [0, 1, 1, 0], told.stderr
    assert Path(out).read_text(encoding="utf-8").strip()
    assert told.stderr.count("pip install 'docspec-vlm[local]', or point --server at") == 2, told.stderr
    assert "Traceback" not in told.stderr
    assert "torch and transformers and" in told.stdout, "doctor says which extras are there"
