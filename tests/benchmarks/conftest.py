"""Data sets in their published layouts, made here, and a tokenizer file that is trained in a moment."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from training.reader.tokenizer import BUILT_IN_TEXT, train_tokenizer

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


@pytest.fixture(scope="session")
def tokenizer(tmp_path_factory):
    """The path of a ``tokenizer.json``."""
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    path.write_text(train_tokenizer([BUILT_IN_TEXT]).backend_tokenizer.to_str(), encoding="utf-8")
    return path
