"""Teaches the network of line ends: ``python -m training.line_ends.teach OUT.npz FOLDER... --held-out FOLDER...``.

The folders hold made pages (``training.line_ends.dataset`` has read them). Of the held-out ones nothing is learned; how
often the network and the rules of before are right there is told for each.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from docspec.drafting.line_ends import with_context
from training.line_ends.dataset import Example, examples

HIDDEN, SECOND = 64, 32
NAMES = ("goes on", "breaks", "parts")


def network(features: int) -> nn.Sequential:
    """Three layers; :class:`docspec.drafting.line_ends.LineEnds` has the same."""
    return nn.Sequential(
        nn.Linear(features, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, SECOND), nn.ReLU(), nn.Linear(SECOND, len(NAMES))
    )


def batch(chosen: Sequence[Example], chance: random.Random | None) -> tuple[Tensor, Tensor]:
    """The ends of all ``chosen`` regions, with noise if there is ``chance``."""
    made, truth = [], []
    for features, own in chosen:
        if chance is not None:
            features = features.copy()
            if chance.random() < 0.2:
                features[:, 4:6] = 0  # no other region shows where the column ends
            features[:, :17] += np.random.default_rng(chance.randrange(2**31)).normal(0, 0.02, (len(own), 17))
        made.append(with_context(features))
        truth.append(own)
    return torch.from_numpy(np.concatenate(made).astype(np.float32)), torch.from_numpy(np.concatenate(truth))


def taught(learned: Sequence[Example], rounds: int, seed: int) -> nn.Sequential:
    """A network that has seen ``learned`` so many times. Its first layer takes the features as they are."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    values, _ = batch(learned, None)
    mean, spread = values.mean(0), values.std(0).clamp_min(0.05)
    model = network(values.shape[1])
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.02)
    order = list(learned)
    steps = rounds * (len(order) // 64 + 1)
    plan = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps)
    for number in range(rounds):
        chance.shuffle(order)
        total, count = 0.0, 0
        for start in range(0, len(order), 64):
            given, wanted = batch(order[start : start + 64], chance)
            loss = functional.cross_entropy(model((given - mean) / spread), wanted, ignore_index=-1)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            plan.step()
            total, count = total + loss.item(), count + 1
        print(f"round {number + 1}: loss {total / count:.4f}", flush=True)
    with torch.no_grad():  # the scale of the features becomes part of the first layer
        first = model[0]
        first.weight.div_(spread)
        first.bias.sub_(first.weight @ mean)
    return model


def joined(models: Sequence[nn.Sequential]) -> nn.Sequential:
    """One network whose log-odds are the mean of those of ``models``: their layers side by side."""
    each = [[layer for layer in model if isinstance(layer, nn.Linear)] for model in models]
    layers: list[nn.Module] = []
    for number, own in enumerate(zip(*each, strict=True)):
        weights, biases = [layer.weight.data for layer in own], [layer.bias.data for layer in own]
        if number == 0:
            weight, bias = torch.cat(weights), torch.cat(biases)
        elif number < len(each[0]) - 1:
            weight, bias = torch.block_diag(*weights), torch.cat(biases)
        else:
            weight, bias = torch.cat(weights, 1) / len(own), torch.stack(biases).mean(0)
        layer = nn.Linear(weight.shape[1], weight.shape[0])
        layer.weight.data, layer.bias.data = weight, bias
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def written(model: nn.Sequential, path: Path) -> None:
    """Writes the weights of ``model`` as :class:`docspec.drafting.line_ends.LineEnds` reads them."""
    layers = [layer for layer in model if isinstance(layer, nn.Linear)]
    weights = {f"weight{n}": layer.weight.detach().numpy() for n, layer in enumerate(layers)}
    biases = {f"bias{n}": layer.bias.detach().numpy() for n, layer in enumerate(layers)}
    np.savez_compressed(path, **weights, **biases)


def report(model: nn.Sequential, folders: Sequence[Path]) -> None:
    """What is right and wrong on each of ``folders``."""
    for folder in folders:
        given, wanted = batch(list(examples(folder)), None)
        with torch.no_grad():
            found = model(given).argmax(1)
        known = wanted >= 0
        table = torch.bincount(3 * wanted[known] + found[known], minlength=9).view(3, 3)
        right = float(table.diagonal().sum() / table.sum())
        apart = float((table[0, 0] + table[1:, 1:].sum()) / table.sum())
        print(f"{folder.name}: right {right:.4f}, joined or not {apart:.4f}; rows are the truth")
        for name, row in zip(NAMES, table.tolist(), strict=True):
            print(f"  {name:8}", *(f"{one:6}" for one in row))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="training.line_ends.teach", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--held-out", type=Path, nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", type=int, default=1, help="taught with as many seeds, and joined into one")
    args = parser.parse_args()
    learned = [one for folder in args.folders for one in examples(folder)]
    model = joined([taught(learned, args.rounds, args.seed + number) for number in range(args.networks)])
    written(model, args.out)
    report(model, args.held_out)


if __name__ == "__main__":
    main()
