"""Data sets in their published layouts, made here."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("suites_made", Path(__file__).with_name("made_suites.py"))
_made = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_made)


@pytest.fixture(scope="session")
def made():
    """The module ``made``: data sets and what was written for them."""
    return _made


@pytest.fixture(scope="session")
def omni_folder(made, tmp_path_factory):
    return made.omnidocbench(tmp_path_factory.mktemp("omni"))


@pytest.fixture(scope="session")
def ocean_folder(made, tmp_path_factory):
    return made.ocean_ocr(tmp_path_factory.mktemp("ocean"))


@pytest.fixture(scope="session")
def olmocr_folder(made, tmp_path_factory):
    return made.olmocr_bench(tmp_path_factory.mktemp("olmocr"))
