"""Teaches the relation network and writes it as ONNX: ``python -m training.structure.teach OUT.onnx FOLDER...``."""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits as bce
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from docspec.drafting.structure.features import OF_LAYOUT, features_of
from docspec.drafting.structure.tokens import PageTokens
from training.structure.compose import Sample, composed
from training.structure.dataset import examples
from training.structure.network import RelationNetwork
from training.structure.noise import recognised

NEAR = 5.0
"""Weight of a pair of near tokens beside that of far ones."""

UNSEEN, RECOGNISED, COMPOSED = 0.2, 0.12, 0.45
"""Share of pages that are shown as if no layout model had seen them, as if they had been recognised, and made of parts
of two."""

BATCH, WARM, KEPT, SAVED = 6, 0.03, 0.998, 10
"""Pages of a step, share of the time in which the rate rises, share of the mean that a step leaves, and minutes between
two savings."""


def targets(cells: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """True relations (n, n, 5) with their weights, and states (n, 2) with their weights, for ``cells`` (n, 9)."""
    table, row, column, rows, columns, head, block, kind, _ = cells.unbind(1)
    known = kind != -2
    inside = table >= 0
    same_table = (table[:, None] == table[None]) & inside[:, None] & inside[None]

    def meet(start: Tensor, length: Tensor) -> Tensor:
        end = start + length
        return (torch.minimum(end[:, None], end[None]) > torch.maximum(start[:, None], start[None])) & same_table

    same_row, same_column = meet(row, rows), meet(column, columns)
    same_cell = (row[:, None] == row[None]) & (column[:, None] == column[None]) & same_table
    same_block = (block[:, None] == block[None]) & (block >= 0)[:, None]
    relations = torch.stack([same_table, same_row, same_column, same_cell, same_block], -1).float()
    both = (known[:, None] & known[None]).float()
    within = same_table.float()
    weights = torch.stack([both, within, within, both, both], -1)
    return (
        relations,
        weights,
        torch.stack([inside.float(), (head > 0).float()], -1),
        torch.stack([known.float(), inside.float()], -1),
    )


def loss_of(network: RelationNetwork, page: PageTokens, cells: NDArray[np.int32], without_layout: bool) -> Tensor:
    """The loss of one page with its true ``cells``; ``without_layout`` as if no layout model had seen it."""
    features = features_of(page)
    tokens, pairs = torch.from_numpy(features.tokens), torch.from_numpy(features.pairs)
    if without_layout:
        of_tokens, of_pairs = OF_LAYOUT
        tokens[:, of_tokens] = 0
        pairs[..., of_pairs] = 0
    relations, weights, states, state_weights = targets(torch.from_numpy(cells).long())
    scores, told = network(tokens, pairs)
    near = (pairs[..., 7] + pairs[..., 8] + pairs[..., 9] + pairs[..., 10]).clamp(max=1) + (
        pairs[..., 15].abs() <= 0.25
    ) * 0.2
    weights = weights * (0.3 + NEAR * near)[..., None]
    each = bce(scores, relations, reduction="none")
    pair_loss = (each * weights).sum((0, 1)) / weights.sum((0, 1)).clamp(min=1)
    state_loss = (bce(told, states, reduction="none") * state_weights).sum(0) / state_weights.sum(0).clamp(min=1)
    return pair_loss @ torch.tensor([1.0, 2.0, 2.0, 2.0, 0.5]) + state_loss @ torch.tensor([1.0, 0.5])


def shown(pages: Sequence[Sample], chance: random.Random) -> Sample:
    """One of ``pages`` as it is shown: some are parts of two, some as if they had been recognised."""
    page, cells = chance.choice(pages)
    if chance.random() < COMPOSED:
        page, cells = composed((page, cells), chance.choice(pages), chance) or (page, cells)
    if chance.random() >= RECOGNISED:
        return page, cells
    other, sources = recognised(page, chance)
    return other, cells[sources]


def of_rate(share: float) -> float:
    """The part of the highest rate of learning when a ``share`` (0..1) of the time has passed: it rises, and falls."""
    return min(1.0, share / WARM, 0.02 + 0.49 * (1 + math.cos(math.pi * share)))


def teach(
    folders: Sequence[Path], out: Path, minutes: float, limit: int, seed: int, start: Path | None, rate: float
) -> None:
    """Teaches on the pages of ``folders`` for some ``minutes`` and writes the running mean of the weights. The rate
    falls as time passes."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    pages = [page for folder in folders for page in examples(folder, limit)]
    print(f"{len(pages)} pages, {sum(len(page.tokens) for page, _ in pages) / len(pages):.0f} tokens each", flush=True)
    features = features_of(pages[0][0])
    network = RelationNetwork(features.tokens.shape[1], features.pairs.shape[2])
    if start:
        network.load_state_dict(weights_of(start) if start.suffix == ".onnx" else torch.load(start), strict=False)
    print(sum(weight.numel() for weight in network.parameters()), "weights")
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    mean = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(KEPT))
    began, step, total, saved = time.time(), 0, 0.0, 0
    while (passed := (time.time() - began) / 60) < minutes:
        share = passed / minutes
        for group in optimiser.param_groups:
            group["lr"] = rate * of_rate(share)
        optimiser.zero_grad()
        for _ in range(BATCH):
            page, cells = shown(pages, chance)
            loss = loss_of(network, page, cells, chance.random() < UNSEEN) / BATCH
            loss.backward()
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        mean.update_parameters(network)
        step += 1
        if step % 50 == 0:
            print(f"step {step}, loss {total / 50:.4f}, {passed:.1f} of {minutes:.0f} min", flush=True)
            total = 0.0
        if passed >= saved + SAVED:
            saved = int(passed)
            save(mean.module, out)
    save(mean.module, out)


def save(network: RelationNetwork, out: Path) -> None:
    """Writes the weights of ``network``, and itself as ONNX."""
    torch.save(network.state_dict(), out.with_suffix(".pt"))
    export(network, out)


def weights_of(file: Path) -> dict[str, Tensor]:
    """The weights in an ONNX file that :func:`export` wrote, by their names."""
    import onnx
    from onnx.numpy_helper import to_array

    return {one.name: torch.from_numpy(to_array(one).copy()) for one in onnx.load(file).graph.initializer}


def export(network: RelationNetwork, out: Path) -> None:
    """Writes ``network`` as ONNX for any number of tokens."""
    network.eval()
    of_tokens, of_pairs = network.token_in[0].in_features, network.pair_in[0].in_features
    inputs = (torch.zeros(8, int(of_tokens)), torch.zeros(8, 8, int(of_pairs)))
    axes = {"tokens": {0: "n"}, "pairs": {0: "n", 1: "n"}}
    torch.onnx.export(
        network,
        inputs,
        str(out),
        dynamo=False,
        input_names=["tokens", "pairs"],
        output_names=["relations", "states"],
        dynamic_axes=axes,
        opset_version=17,
        do_constant_folding=False,  # which would rename weights; ONNX Runtime does it anyway
    )
    network.train()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--limit", type=int, default=10**9, help="most pages of a folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path, help="weights to begin with (.pt, or .onnx as shipped)")
    parser.add_argument("--rate", type=float, default=2e-3, help="highest rate of learning")
    options = parser.parse_args()
    teach(options.folders, options.out, options.minutes, options.limit, options.seed, options.start, options.rate)
