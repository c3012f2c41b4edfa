"""The network of line ends: what is shipped is what is taught, and right on made pages that nobody looked at."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from docspec.drafting import line_ends  # noqa: E402
from docspec.drafting.line_ends import GOES_ON, LineEnds, with_context  # noqa: E402
from training.line_ends import dataset, teach  # noqa: E402
from training.structure.pages import __main__ as pages  # noqa: E402
from training.structure.pages import line_texts, typewritten  # noqa: E402


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Typewritten pages of texts in lines."""
    folder: Path = tmp_path_factory.mktemp("made")
    usual = typewritten.made
    typewritten.made = line_texts.made
    try:
        fit, _ = pages.one_run(typewritten.typeset, "lines 4712", "a", folder / "..", folder, 6, 6, False)
    finally:
        typewritten.made = usual
    assert fit >= 4
    return folder


def test_lines_are_joined_where_the_typesetter_broke_them_and_nowhere_else(made: Path) -> None:
    found, wanted = [], []
    for path in made.glob("*.pdf"):
        for lines, column, meanings in dataset.kept(path):
            found += line_ends.line_ends().of(lines, column).argmax(axis=1).tolist()
            wanted += meanings
    known = np.array(wanted) >= 0
    joined, truth = np.array(found)[known] == GOES_ON, np.array(wanted)[known] == GOES_ON
    assert truth.sum() > 20 and (~truth).sum() > 20
    assert (joined == truth).mean() > 0.93
    swapped = np.random.default_rng(0).permutation(truth)  # a negative control
    assert (joined == swapped).mean() < 0.8


def test_what_is_written_answers_as_what_was_taught(made: Path, tmp_path: Path) -> None:
    examples = list(dataset.examples(made))
    random.Random(1).shuffle(examples)
    model = teach.taught(examples, rounds=2, seed=3)
    teach.written(model, tmp_path / "a.npz")
    network = LineEnds(tmp_path / "a.npz")
    for path in made.glob("*.pdf"):
        for lines, column, _ in dataset.kept(path):
            features = with_context(line_ends.features_of(lines, column))
            with torch.no_grad():
                expected = model(torch.from_numpy(features)).softmax(1).numpy()
            np.testing.assert_allclose(network.of(lines, column), expected, atol=1e-4)
