"""Teaches the network of precedence: ``python -m training.order.teach OUT.npz FOLDER... --held-out FOLDER...``.

The folders hold made pages (``training.order.dataset`` has read them). Of the held-out ones nothing is learned; how
many pairs of boxes are in order there is told for each, and of how many pages all are, for the network and for the
order of the layout model.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from docspec.core import BBox, Category
from docspec.core.geometry import in_rows
from docspec.drafting.frames import Bounds
from docspec.drafting.precedence import HEADS, LIMIT, Precedence, best_order, features_of
from training.order.dataset import FOOT, HEAD, UNKNOWN, Example, examples
from training.structure.teach import KEPT, of_rate

WIDTH, HIDDEN, LAYERS = 64, 24, 4

BATCH, MOST = 8, 120
"""Pages of a step, and most boxes of one."""

NO_LAYOUT, NO_TEXT, NO_DRAWINGS, TWO, FEWER, LINES = 0.5, 0.25, 0.15, 0.25, 0.3, 0.2
"""Share of pages that are shown in no order, without texts, without what is drawn, as two beside or below each other,
with some boxes left out, and with each line as a box."""

OTHER_KINDS = 0.08
"""Share of boxes that are shown as another kind of text than the layout model takes them for."""

KINDS = (Category.TEXT, Category.SECTION_HEADER, Category.LIST_ITEM, Category.PAGE_HEADER, Category.CAPTION)


class Layer(nn.Module):
    """Attention with a bias for each pair, a network for each box, and what two are to each other after it."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out, self.bias = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(HIDDEN, HEADS)
        self.inner, self.outer = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.first, self.second = nn.Linear(WIDTH, HIDDEN), nn.Linear(WIDTH, HIDDEN)
        self.mixed, self.update = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)

    def forward(self, hidden: Tensor, between: Tensor) -> tuple[Tensor, Tensor]:
        """``hidden`` (n, width), ``between`` (n, n, hidden)."""
        query, key, value = self.qkv(self.before(hidden)).view(len(hidden), 3, HEADS, -1).permute(1, 2, 0, 3)
        scores = query * query.shape[-1] ** -0.5 @ key.transpose(1, 2) + self.bias(between).permute(2, 0, 1)
        hidden = hidden + self.out((scores.softmax(-1) @ value).permute(1, 0, 2).reshape(len(hidden), WIDTH))
        hidden = hidden + self.outer(self.inner(self.between(hidden)).relu())
        met = self.first(hidden)[:, None] + self.second(hidden)[None] + self.mixed(between)
        return hidden, between + self.update(met.relu())


class Network(nn.Module):
    """:class:`docspec.drafting.precedence.Precedence`, to be taught."""

    def __init__(self, of_boxes: int, of_pairs: int) -> None:
        super().__init__()
        self.token_in = nn.Sequential(nn.Linear(of_boxes, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
        self.pair_in = nn.Sequential(nn.Linear(of_pairs, HIDDEN), nn.ReLU())
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.last = nn.Linear(HIDDEN, 1)

    def forward(self, boxes: Tensor, pairs: Tensor) -> Tensor:
        """``boxes`` (n, features), ``pairs`` (n, n, features)."""
        hidden, between = self.token_in(boxes), self.pair_in(pairs)
        for layer in self.layers:
            hidden, between = layer(hidden, between)
        scores = self.last(between)[..., 0]
        return (scores - scores.T) / 2


def moved(example: Example, x: float, y: float, factor: float) -> Example:
    """``example`` made larger, and then moved to the right and down."""

    def box(one: BBox) -> BBox:
        return BBox(one.x0 * factor + x, one.y0 * factor + y, one.x1 * factor + x, one.y1 * factor + y)

    boxes = tuple(replace(one, bbox=box(one.bbox), members=tuple(map(box, one.members))) for one in example.boxes)
    texts = {box(place): text for place, text in example.texts.items()}
    bounds = Bounds(list(map(box, example.bounds.frames)), list(map(box, example.bounds.rules)))
    return Example(boxes, texts, bounds, example.places)


def around(example: Example) -> BBox:
    """The box of all boxes."""
    return BBox.union(one.bbox for one in example.boxes)


def two(a: Example, b: Example, chance: random.Random) -> Example:
    """Both on one page: beside each other, as two pages on a sheet, or one below the other."""
    first, second = around(a), around(b)
    side = chance.random() < 0.6
    if side:
        factor = chance.uniform(0.9, 1.1) * first.height / max(second.height, 1.0)
        factor = min(max(factor, 0.8), 1.25)
        gap = chance.uniform(20, 90)
        b = moved(b, first.x1 + gap - second.x0 * factor, first.y0 - second.y0 * factor, factor)
    else:
        factor = min(max(first.width / max(second.width, 1.0), 0.8), 1.25)
        b = moved(b, first.x0 - second.x0 * factor, first.y1 + chance.uniform(6, 40) - second.y0 * factor, factor)
    places = np.where(b.places == UNKNOWN, UNKNOWN, b.places + 2 * FOOT)
    own = a.places
    if not side:  # the foot of the first page is no foot any more
        own, places = (np.where(np.isin(one.places, (HEAD, FOOT)), UNKNOWN, at) for one, at in ((a, own), (b, places)))
    bounds = Bounds([*a.bounds.frames, *b.bounds.frames], [*a.bounds.rules, *b.bounds.rules])
    return Example((*a.boxes, *b.boxes), a.texts | b.texts, bounds, np.concatenate([own, places]).astype(np.float32))


def some(example: Example, kept: Sequence[int]) -> Example:
    """``example`` with the ``kept`` boxes alone, in this order."""
    return replace(example, boxes=tuple(example.boxes[at] for at in kept), places=example.places[list(kept)])


def in_lines(example: Example) -> Example:
    """``example`` with each line as a box, those of one from the top, in a row from the left."""
    boxes, places = [], []
    for box, place in zip(example.boxes, example.places.tolist(), strict=True):
        rows = in_rows(box.members, lambda member: member) if box.table is None else []
        lines = [line for row in rows for line in row]
        for number, line in enumerate(lines):
            boxes.append(replace(box, bbox=line, members=(line,)))
            places.append(place if place in (UNKNOWN, HEAD, FOOT) else place + number / (len(lines) + 1))
        if not lines:
            boxes.append(box)
            places.append(place)
    return replace(example, boxes=tuple(boxes), places=np.array(places, np.float32))


def shown(pages: Sequence[Example], chance: random.Random) -> tuple[Tensor, Tensor, Tensor]:
    """The features of one of ``pages`` as it is shown, and the places of its boxes."""
    page = chance.choice(pages)
    if chance.random() < TWO:
        page = two(page, chance.choice(pages), chance)
    split = in_lines(page) if chance.random() < LINES else page
    page = split if len(split.boxes) < MOST else page
    order = list(range(len(page.boxes)))
    if chance.random() < FEWER and len(order) > 4:
        order = sorted(chance.sample(order, chance.randint(max(3, len(order) // 2), len(order))))
    given = chance.random() >= NO_LAYOUT
    page = some(page, order)
    boxes = tuple(
        replace(box, category=chance.choice(KINDS)) if box.category in KINDS and chance.random() < OTHER_KINDS else box
        for box in page.boxes
    )
    page = replace(page, boxes=boxes)
    texts = {} if chance.random() < NO_TEXT else page.texts
    bounds = Bounds() if chance.random() < NO_DRAWINGS else page.bounds
    tokens, pairs = features_of(page.boxes, texts, bounds.frames, bounds.rules, given)
    tokens[:, :8] += np.random.default_rng(chance.randrange(2**31)).normal(0, 0.01, (len(tokens), 8))
    return torch.from_numpy(tokens), torch.from_numpy(pairs), torch.from_numpy(page.places)


def loss_of(scores: Tensor, places: Tensor, pairs: Tensor) -> Tensor:
    """The loss of one page: near boxes count most."""
    known = places != UNKNOWN
    both = known[:, None] & known[None] & (places[:, None] != places[None])
    far = pairs[..., 4].abs() + pairs[..., 8].abs()
    weights = both * (0.2 + torch.exp(-far / 3))
    each = bce(scores, (places[:, None] < places[None]).float(), reduction="none")
    return (each * weights).sum() / weights.sum().clamp(min=1e-6)


def taught(
    pages: Sequence[Example], minutes: float, seed: int, rate: float, out: Path, start: Path | None = None
) -> None:
    """Teaches for some ``minutes``, from the weights of ``start`` on, and writes the running mean of the weights."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    pages = [page for page in pages if 2 <= len(page.boxes) <= MOST]
    tokens, pairs, _ = shown(pages, chance)
    network = Network(tokens.shape[1], pairs.shape[2])
    if start is not None:
        with np.load(start) as weights:
            network.load_state_dict(
                {name: torch.from_numpy(weights[name].astype(np.float32)) for name in weights.files}
            )
    print(len(pages), "pages,", sum(one.numel() for one in network.parameters()), "weights", flush=True)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.02)
    mean = AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(KEPT))
    began, step, total = time.time(), 0, 0.0
    while (share := (time.time() - began) / 60 / minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = rate * of_rate(share)
        optimiser.zero_grad()
        for _ in range(BATCH):
            tokens, pairs, places = shown(pages, chance)
            loss = loss_of(network(tokens, pairs), places, pairs) / BATCH
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        mean.update_parameters(network)
        step += 1
        if step % 100 == 0:
            print(f"step {step}, loss {total / 100:.4f}, {share:.0%}", flush=True)
            total = 0.0
            if step % 500 == 0:
                written(mean.module, out)
    written(mean.module, out)


def written(network: nn.Module, path: Path) -> None:
    """Writes the weights, at half precision, as :class:`docspec.drafting.precedence.Precedence` reads them."""
    np.savez_compressed(
        path, **{name: one.detach().numpy().astype(np.float16) for name, one in network.state_dict().items()}
    )


def report(path: Path, folders: Sequence[Path]) -> None:
    """How many pairs, and pages, are in order on each of ``folders``."""
    network = Precedence(path)
    for folder in folders:
        right = pairs = pages = whole = given = 0
        for page in examples(folder):
            if len(page.boxes) < 2:
                continue
            scores = network(*features_of(page.boxes, page.texts, page.bounds.frames, page.bounds.rules))
            order = best_order(np.clip(scores, -LIMIT, LIMIT), range(len(page.boxes)))
            place = {box: at for at, box in enumerate(order)}
            known = [at for at in range(len(page.boxes)) if page.places[at] != UNKNOWN]
            truth = [(a, b) for a in known for b in known if page.places[a] < page.places[b]]
            found = sum(place[a] < place[b] for a, b in truth)
            pairs, right, pages = pairs + len(truth), right + found, pages + 1
            whole += found == len(truth)
            given += all(a < b for a, b in truth)
        print(
            f"{folder.name}: {right / max(pairs, 1):.4f} of {pairs} pairs, {whole / pages:.3f} of {pages} pages whole; "
            f"the layout model {given / pages:.3f}",
            flush=True,
        )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="training.order.teach", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--held-out", type=Path, nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--start", type=Path, help="weights to begin with, as shipped")
    args = parser.parse_args()
    if args.folders:
        pages = [page for folder in args.folders for page in examples(folder)]
        taught(pages, args.minutes, args.seed, args.rate, args.out, args.start)
    report(args.out, args.held_out)


if __name__ == "__main__":
    main()
