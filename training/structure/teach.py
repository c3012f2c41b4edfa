"""Teaches the relation network and writes it as ONNX: ``python -m training.structure.teach OUT.onnx FOLDER...``."""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits as bce

from docspec.drafting.structure.features import OF_LAYOUT
from training.structure.dataset import Example, examples
from training.structure.network import RelationNetwork

NEAR = 5.0
"""Weight of a pair of near tokens beside that of far ones."""

UNSEEN = 0.2
"""Share of pages that are shown as if no layout model had seen them."""


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


def loss_of(network: RelationNetwork, example: Example, without_layout: bool = False) -> Tensor:
    """The loss of one page; ``without_layout`` as if no layout model had seen it."""
    tokens, pairs = torch.from_numpy(example.tokens.copy()), torch.from_numpy(example.pairs.astype(np.float32))
    if without_layout:
        of_tokens, of_pairs = OF_LAYOUT
        tokens[:, of_tokens] = 0
        pairs[..., of_pairs] = 0
    cells = torch.from_numpy(example.cells).long()
    relations, weights, states, state_weights = targets(cells)
    scores, told = network(tokens, pairs)
    near = (pairs[..., 7] + pairs[..., 8] + pairs[..., 9] + pairs[..., 10]).clamp(max=1) + (
        pairs[..., 15].abs() <= 0.25
    ) * 0.2
    weights = weights * (0.3 + NEAR * near)[..., None]
    each = bce(scores, relations, reduction="none")
    pair_loss = (each * weights).sum((0, 1)) / weights.sum((0, 1)).clamp(min=1)
    state_loss = (bce(told, states, reduction="none") * state_weights).sum(0) / state_weights.sum(0).clamp(min=1)
    return pair_loss @ torch.tensor([1.0, 2.0, 2.0, 2.0, 0.5]) + state_loss @ torch.tensor([1.0, 0.5])


def teach(
    folders: Sequence[Path],
    out: Path,
    epochs: int,
    limit: int,
    seed: int,
    start: Path | None,
    rate: float,
    steps: int | None = None,
) -> None:
    """Teaches on the pages of ``folders`` and writes the network after each round."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    began = time.time()
    pages = [one for folder in folders for one in examples(folder, limit)]
    mean = sum(len(one.tokens) for one in pages) / len(pages)
    print(f"{len(pages)} pages, {mean:.0f} tokens each, {time.time() - began:.0f} s", flush=True)
    network = RelationNetwork(pages[0].tokens.shape[1], pages[0].pairs.shape[2])
    if start:
        network.load_state_dict(torch.load(start), strict=False)
    print(sum(weight.numel() for weight in network.parameters()), "weights")
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=0.01)
    batch = 6
    steps = epochs * (len(pages) // batch) if steps is None else steps
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 1, pct_start=0.08)
    step, total, began = 0, 0.0, time.time()
    while step < steps:
        chance.shuffle(pages)
        for at in range(0, len(pages) - batch + 1, batch):
            optimiser.zero_grad()
            for example in pages[at : at + batch]:
                loss = loss_of(network, example, chance.random() < UNSEEN) / batch
                loss.backward()
                total += float(loss)
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            if step % 50 == 0:
                print(f"step {step} of {steps}, loss {total / 50:.4f}, {time.time() - began:.0f} s", flush=True)
                total = 0.0
            if step >= steps:
                break
        torch.save(network.state_dict(), out.with_suffix(".pt"))
        export(network, pages[0], out)


def export(network: RelationNetwork, example: Example, out: Path) -> None:
    """Writes ``network`` as ONNX for any number of tokens."""
    network.eval()
    inputs = (torch.from_numpy(example.tokens), torch.from_numpy(example.pairs.astype(np.float32)))
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
    )
    network.train()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--limit", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--rate", type=float, default=2.5e-3, help="highest rate of learning")
    parser.add_argument("--steps", type=int, help="in place of epochs")
    options = parser.parse_args()
    teach(
        options.folders,
        options.out,
        options.epochs,
        options.limit,
        options.seed,
        options.start,
        options.rate,
        options.steps,
    )
