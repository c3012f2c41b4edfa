"""docspec is installed beside vLLM with what it depends on, and changes nothing there.

``integrations/vllm/make_env.sh`` notes in the environment what was there before.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

PYTHON = os.environ.get("DOCSPEC_VLLM_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_VLLM_PYTHON names no Python that has vLLM")


def pip(*words: str) -> list[str]:
    ran = subprocess.run(
        [str(PYTHON), "-m", "pip", "--disable-pip-version-check", *words], capture_output=True, text=True, timeout=120
    )
    return ran.stdout.splitlines()


def before(name: str) -> list[str]:
    return (Path(str(PYTHON)).parent.parent / name).read_text(encoding="utf-8").splitlines()


def test_no_package_of_vllms_environment_is_changed() -> None:
    now = pip("freeze", "-q", "--all")
    assert any(line.startswith("docspec-vlm") for line in now), "it is installed, not only on the path"
    changed = set(before("packages-before.txt")) - set(now)
    assert len(now) > 100 and changed == set()


def test_vllm_finds_the_plug_in() -> None:
    code = "from importlib.metadata import entry_points as e; [e(group='vllm.general_plugins')['docspec'].load()()]"
    ran = subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, timeout=120, cwd="/")
    assert ran.returncode == 0 and "docspec's proposer" not in ran.stderr, ran.stderr


def test_what_docspec_needs_is_there_and_nobody_misses_more_than_before() -> None:
    """vLLM itself misses two packages that do not load beside a torch for processors and that nobody needs."""
    assert sorted(pip("check")) == sorted(before("check-before.txt"))
