"""A tokenizer file that is trained in a moment."""

from __future__ import annotations

import pytest

from training.reader.tokenizer import BUILT_IN_TEXT, train_tokenizer


@pytest.fixture(scope="session")
def tokenizer(tmp_path_factory):
    """The path of a ``tokenizer.json``."""
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    path.write_text(train_tokenizer([BUILT_IN_TEXT]).backend_tokenizer.to_str(), encoding="utf-8")
    return path
