"""Runs the command line inside the test process over scripted pages, and cleans up what a process would take
along.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from scripted_parser import ScriptedParser

from docspec import offline


@pytest.fixture(autouse=True)
def _own_process_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No user's settings come in; environment, log level and the offline guard do not leak out."""
    before = dict(os.environ)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("DOCSPEC_MODEL", raising=False)
    monkeypatch.chdir(tmp_path)
    yield
    offline.release()
    logging.disable(logging.NOTSET)
    os.environ.clear()
    os.environ.update(before)


@dataclass
class Outcome:
    """What a run left: exit code, both streams, and the parsers that were made with their options."""

    code: int
    out: str
    err: str
    parsers: list[ScriptedParser]
    options: list[Any]

    @property
    def error_lines(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith("docspec: error:")]


@pytest.fixture
def run_cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """``run_cli("parse", ..., act=..., pages=2)``: the real application, a scripted parser."""

    def run(*args: object, act: Any = None, pages: int = 2, make: Any = None) -> Outcome:
        from docspec.cli import app, batch

        parsers: list[ScriptedParser] = []
        options: list[Any] = []

        def make_parser(given: Any, observer: Any, devices: Any) -> ScriptedParser:
            options.append(given)
            parser = ScriptedParser(observer, pages) if act is None else ScriptedParser(observer, pages, act)
            parsers.append(parser)
            return parser

        monkeypatch.setattr(batch, "make_parser", make or make_parser)
        capsys.readouterr()
        code = app.run([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return Outcome(code, out, err, parsers, options)

    return run
