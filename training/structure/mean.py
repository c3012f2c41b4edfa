"""The mean of taught networks: ``python -m training.structure.mean OUT.onnx A.onnx B.onnx...``. The layers that one
with fewer of them lacks change nothing."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from training.structure.network import RelationNetwork
from training.structure.teach import export, weights_of

LAST = (".out.weight", ".out.bias", ".outer.weight", ".outer.bias")
"""Weights of a layer that, where they are nought, leave everything as it is."""


def mean_of(files: Sequence[Path]) -> RelationNetwork:
    """The network whose weights are the means of those in ``files``; where one lacks a layer, it counts as the layer of
    the others with nought behind it."""
    taught = [weights_of(file) for file in files]
    whole = max(taught, key=len)
    network = RelationNetwork(whole["token_in.0.weight"].shape[1], whole["pair_in.0.weight"].shape[1])

    def of(own: dict[str, Tensor], name: str) -> Tensor:
        return own[name] if name in own else torch.zeros_like(whole[name]) if name.endswith(LAST) else whole[name]

    network.load_state_dict({name: torch.stack([of(own, name) for own in taught]).mean(0) for name in whole})
    return network


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    options = parser.parse_args()
    export(mean_of(options.files), options.out)
