"""The mean of networks, of which one may have fewer layers."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

pytest.importorskip("onnx", reason="weights are read from ONNX files")

from training.structure import network
from training.structure.mean import mean_of
from training.structure.network import RelationNetwork
from training.structure.teach import export


def made(path: Path, layers: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, RelationNetwork]:
    """A network of ``layers`` that says something, in the file ``path``."""
    monkeypatch.setattr(network, "LAYERS", layers)
    taught = RelationNetwork(5, 4)
    for weight in taught.parameters():
        torch.nn.init.normal_(weight, std=0.2)
    export(taught, path)
    return path, taught.eval()


def test_the_mean_of_a_network_with_itself_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, taught = made(tmp_path / "a.onnx", 2, monkeypatch)
    tokens, pairs = torch.randn(6, 5), torch.randn(6, 6, 4)
    for one, other in zip(taught(tokens, pairs), mean_of([path, path]).eval()(tokens, pairs), strict=True):
        assert torch.allclose(one, other, atol=1e-4)


def test_layers_that_one_lacks_count_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, small = made(tmp_path / "few.onnx", 2, monkeypatch)
    many, large = made(tmp_path / "many.onnx", 4, monkeypatch)
    found = dict(mean_of([few, many]).named_parameters())
    own, others = dict(small.named_parameters()), dict(large.named_parameters())
    assert torch.allclose(found["layers.3.out.weight"], others["layers.3.out.weight"] / 2, atol=1e-6)
    assert torch.allclose(found["layers.3.qkv.weight"], others["layers.3.qkv.weight"], atol=1e-6)
    assert torch.allclose(found["keys.weight"], (own["keys.weight"] + others["keys.weight"]) / 2, atol=1e-6)
