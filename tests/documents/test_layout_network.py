"""The network that looks at a page's picture for the layout model has the same outputs in less time."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docspec.core.libraries import session
from docspec.core.onnx_graph import Message
from docspec.documents.layout_network import JOINED, PictureNetwork, quick_sessions, rearranged


def models() -> Path:
    spec = find_spec("pymupdf")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "layout" / "resources" / "onnx"


NETWORK = models() / "feature_imf1.onnx"
OTHER = models() / "layout_rf2.4.1+imf1.onnx"


def page_picture() -> Any:
    """Lines of print, 300 by 300 pixels, ink 0 and paper 1."""
    picture = np.ones((300, 300), np.float32)
    for top in range(30, 260, 9):
        picture[top : top + 4, 30 : 270 - top % 7 * 10] = 0
    picture[120:190, 60:240] = np.linspace(0, 1, 180, dtype=np.float32)
    return picture[None, None]


def test_outputs_are_those_of_the_network_as_it_is_distributed() -> None:
    usual, quick = session(NETWORK, 1), PictureNetwork(NETWORK)
    assert [one.name for one in quick.get_inputs()] == [one.name for one in usual.get_inputs()]
    names = [one.name for one in usual.get_outputs()]
    assert {one.name for one in quick.get_outputs()} == set(names)
    noise = np.random.default_rng(0).random((1, 1, 300, 300), dtype=np.float32)
    for picture in (page_picture(), noise):
        expected = usual.run(names, {"input": picture})
        for name, mine, theirs in zip(names, quick.run(names, {"input": picture}), expected, strict=True):
            assert mine.shape == theirs.shape, name
            assert np.abs(theirs).max() > 1, "the picture says nothing to the network"
            assert np.abs(mine - theirs).max() < 1e-4, name


def test_outputs_come_in_the_order_in_which_they_are_asked_for() -> None:
    quick = PictureNetwork(NETWORK)
    given = {"input": page_picture()}
    logits, joined = quick.run(["logits", JOINED], given)
    assert logits.shape == (1, 12, 300, 300) and joined.shape == (1, 160, 300, 300)
    assert np.array_equal(quick.run(["logits"], given)[0], logits)


def test_another_network_is_run_as_it_is() -> None:
    with pytest.raises(ValueError, match="joins"):
        rearranged(OTHER.read_bytes())
    with pytest.raises(ValueError):
        rearranged(NETWORK.read_bytes()[:1000])


def test_the_usual_session_is_made_of_another_network(tmp_path: Path) -> None:
    made: list[str] = []

    def usual(path: str, *given: Any) -> str:
        made.append(path)
        return "the usual one"

    changed = tmp_path / "feature_imf9.onnx"
    changed.write_bytes(OTHER.read_bytes())
    make = quick_sessions(usual)
    assert make(str(changed), []) == make(str(OTHER), []) == "the usual one"
    assert made == [str(changed), str(OTHER)]
    assert isinstance(make(str(NETWORK), []), PictureNetwork)


def test_a_graph_is_written_as_it_was_read() -> None:
    for file in (NETWORK, OTHER):
        assert Message.parse(file.read_bytes()).data() == file.read_bytes()


@pytest.mark.parametrize("data", [b"\x0a", b"\x0a\x05abc", b"\x80", b"\x0b", b"\x0d\x00"])
def test_what_ends_too_early_is_no_graph(data: bytes) -> None:
    with pytest.raises(ValueError):
        Message.parse(data)
