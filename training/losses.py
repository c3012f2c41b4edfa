"""The training losses: next token, and the dense ones that show a small network where to look.

Dense: every 4 x 16 px bin names its character, from patches and from merged cells. Bag: a cell's embedding
times the tied token embedding names the tokens that begin in it. Order: in the last vision layer head 0 looks
at the next cell in reading order, head 1 at the previous one, so line ends are crossed in the image. Guide:
an early text layer looks at the cell of the present token, the layers after it at the cell of the next. A line on
the edge of two rows of cells is in both (see `data`): either may be looked at, both name its tokens. Where the
text jumps to another line counts more than once, in the guide and in the text, and where it jumps far, to the
next column, or ends, more often still: such places are few and they are what is learned last.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from training.data import BIN, IGNORE, Batch
from training.network import CODE, Network, Seen
from training.reader.model import CELL, MERGE, PATCH
from training.reader.tokenizer import IM_END, IMAGE_PAD


@dataclass(frozen=True)
class Weights:
    """How much each loss counts; `vision_only` leaves the decoder out; `gradient` scales what flows into
    vision."""

    text: float = 1.0
    dense: float = 0.5
    bag: float = 0.3
    order: float = 0.1
    guide: float = 0.2
    gradient: float = 0.15
    noise: float = 0.03
    vision_only: bool = False
    jump: float = 0.0  # extra weight of tokens that begin on another line, in the guide; half in the text
    far: float = 0.0  # the same for tokens that begin elsewhere, in another column say, and for the end


GUIDES = {1: ((0, False),), 2: ((0, True), (1, True)), 3: ((0, True), (1, True))}  # layer: (head, next cell?)


def _balanced(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Cross entropy with ink and blank bins averaged apart, and the share of ink bins that are right."""
    logits, labels = logits.flatten(0, -2), labels.flatten()
    ink = labels.nonzero()[:, 0]
    blank = (labels == 0).nonzero()[:, 0]
    if len(blank) > 2 * len(ink) + 64:
        blank = blank[:: max(1, len(blank) // (2 * len(ink) + 64))]
    loss = 0.3 * F.cross_entropy(logits[blank], labels[blank]) if len(blank) else logits.sum() * 0
    if not len(ink):
        return loss, logits.new_ones(())
    chosen = logits[ink]
    return loss + F.cross_entropy(chosen, labels[ink]), (chosen.argmax(-1) == labels[ink]).float().mean()


def dense_loss(network: Network, seen: Seen, batch: Batch) -> tuple[Tensor, dict[str, Tensor]]:
    """Characters of all bins from patches and from cells."""
    b, rows, bins = batch.dense.shape
    columns = bins * BIN // PATCH
    labels = batch.dense.view(b, rows // MERGE, MERGE, columns // MERGE, MERGE, PATCH // BIN)
    by_patch = labels.permute(0, 1, 3, 2, 4, 5).reshape(b, rows * columns, PATCH // BIN)
    by_cell = labels.permute(0, 1, 3, 2, 4, 5).reshape(b, rows * columns // 4, MERGE * CELL // BIN)
    patch_loss, patch_right = _balanced(
        network.patch_class(network.patch_code(seen.patches).view(*by_patch.shape, CODE)), by_patch
    )
    cell_loss, cell_right = _balanced(
        network.cell_class(network.cell_code(seen.cells).view(*by_cell.shape, CODE)), by_cell
    )
    return patch_loss + cell_loss, {"patch": patch_right, "cell": cell_right}


def bag_loss(network: Network, seen: Seen, batch: Batch) -> Tensor:
    """Tokens from the cell in which they begin and from its twin."""
    cells = torch.stack((batch.cells, batch.twins), -1)
    b, t, which = (cells >= 0).nonzero(as_tuple=True)
    if not len(b):
        return seen.cells.sum() * 0
    logits = network.logits(F.rms_norm(seen.cells, seen.cells.shape[-1:]))
    return F.cross_entropy(logits[b, cells[b, t, which]], batch.ids[b, t])


def either(scores: Tensor, cell: Tensor, twin: Tensor) -> Tensor:
    """Log of the summed exponentials of the last dimension's scores at a cell and at its twin, if there is one."""
    one = scores.gather(-1, cell.clamp(min=0)[..., None])[..., 0]
    other = scores.gather(-1, twin.clamp(min=0)[..., None])[..., 0]
    return torch.where(twin >= 0, torch.logaddexp(one, other), one)


def order_loss(seen: Seen, batch: Batch, far: float = 0.0, most: int = 192) -> tuple[Tensor, Tensor]:
    """Attention of two heads of the last vision layer on the next and the previous cell in reading order; jumps
    between columns count `far` times more."""
    total, right = seen.cells.sum() * 0, seen.cells.new_zeros(())
    for head, goal in ((0, batch.following), (1, batch.preceding)):
        b, cell = (goal[..., 0] >= 0).nonzero(as_tuple=True)
        if not len(b):
            continue
        columns = batch.pixels.shape[2] // CELL
        target, twin = goal[b, cell].unbind(-1)
        jump = (target - cell).abs() > 2  # line ends are rare: all of them, and a sample of the rest
        keep = jump | (torch.rand(len(b), device=b.device) < most / max(1, len(b) / len(goal)))
        b, cell, target, twin = b[keep], cell[keep], target[keep], twin[keep]
        keys = seen.keys[:, :, head]
        loss = []
        for image in range(len(goal)):
            mine = b == image
            if not mine.any():
                continue
            patch = cell[mine] * 4 + torch.randint(0, 4, (int(mine.sum()),), device=b.device)
            scores = seen.queries[image, patch, head] @ keys[image].T * keys.shape[-1] ** -0.5
            by_cell = scores.view(len(patch), -1, 4).logsumexp(-1)
            loss.append(by_cell.logsumexp(-1) - either(by_cell, target[mine], twin[mine]))
            best = by_cell.argmax(-1)
            right = right + ((best == target[mine]) | (best == twin[mine])).float().mean() / len(goal) / 2
        flat = torch.cat(loss)
        apart = (target - cell).abs()
        ahead = (target - cell) * (1 if goal is batch.following else -1)
        weight = 1 + 3.0 * (apart >= columns // 2) + far * (ahead < -columns)
        total = total + (flat * weight).sum() / weight.sum()
    return total, right


def emphasis(batch: Batch, jump: float, far: float) -> Tensor:
    """Weights (B, T) of the next tokens: 1 in a line and for markup, 1 + `jump` where the next printed token begins
    in one of the next lines, 1 + `far` (at least `jump`) where it begins anywhere else (another column, another cell of
    a table), and 1 + `far` where the text ends."""
    columns = batch.pixels.shape[2] // CELL
    places = torch.arange(batch.cells.shape[1], device=batch.cells.device).expand_as(batch.cells)
    latest = places.where(batch.cells >= 0, 0).cummax(1).values
    here = batch.cells.gather(1, latest)
    there = batch.next_cells
    down = there // columns - here // columns
    ahead = there % columns - here % columns
    beside = ((down == 0) | (down == -1)) & (ahead >= 0) & (ahead <= 2)  # a turned line may rise
    below = (down >= 1) & (down <= 3) & (ahead <= 2)
    first = here < 0
    weight = torch.where(below | first, jump, max(jump, far)).where((there >= 0) & ~beside, 0.0)
    return 1 + weight.where(batch.targets != IM_END, far)


def guide_loss(
    network: Network, products: dict[int, tuple[Tensor, Tensor]], batch: Batch, weight: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Attention of guided text heads on the cells of present and next tokens, the latter weighted by `weight`
    (B, T); share of next cells found, of all and of those with a weight over one."""
    start = network.prefix.index(IMAGE_PAD)
    count = batch.following.shape[1]
    length = batch.ids.shape[1]
    total, found, terms = batch.pixels.new_zeros((), dtype=torch.float32), [], 0
    jump = weight > 1
    for layer, (queries, keys) in products.items():
        for head, ahead in GUIDES[layer]:
            goal = batch.next_cells if ahead else batch.cells
            scores = queries[:, head] @ keys[:, head].transpose(1, 2) * keys.shape[-1] ** -0.5
            causal = torch.ones(length, length, dtype=torch.bool, device=scores.device).triu(1)
            text = scores[:, :, -length:].masked_fill(causal, float("-inf"))
            every = torch.cat((scores[:, :, :-length], text), -1).logsumexp(-1)
            image = scores[:, :, start : start + count]
            valid = goal >= 0
            twin = batch.next_twins if ahead else batch.twins
            aim = either(image, goal, twin)
            scale = valid * weight if ahead else valid.float()
            total = total + ((every - aim) * scale).sum() / scale.sum().clamp(min=1)
            terms += 1
            if ahead:
                best = image.argmax(-1)
                right = ((best == goal) | (best == twin)) & valid
                found.append(
                    torch.stack(
                        (
                            right.sum() / valid.sum().clamp(min=1),
                            (right & jump).sum() / (valid & jump).sum().clamp(min=1),
                        )
                    )
                )
    shares = torch.stack(found).amax(0) if found else total.expand(2)
    return total / max(1, terms), shares[0], shares[1]


TAUGHT = 0.7
"""Share of the text's loss that is a teacher's to say: the divergence from its distribution."""


def compute(
    network: Network, batch: Batch, weights: Weights, teacher: Network | None = None
) -> tuple[Tensor, dict[str, Tensor]]:
    """The weighted sum of all losses, and what to log. ``teacher`` reads the same batch."""
    seen = network.see(batch.pixels)
    log: dict[str, Tensor] = {}
    loss = weights.bag * (bag := bag_loss(network, seen, batch))
    log["bag"] = bag
    if weights.dense:
        dense, right = dense_loss(network, seen, batch)
        loss, log = loss + weights.dense * dense, log | right | {"dense": dense}
    if weights.order:
        order, log["order_right"] = order_loss(seen, batch, weights.far)
        loss, log["order"] = loss + weights.order * order, order
    if not weights.vision_only:
        cells = seen.cells * weights.gradient + seen.cells.detach() * (1 - weights.gradient)
        ids = batch.ids
        if weights.noise and network.training:
            wrong = torch.rand(ids.shape, device=ids.device) < weights.noise
            wrong[:, 0] = False
            other = ids.flatten()[torch.randint(0, ids.numel(), ids.shape, device=ids.device)]
            ids = torch.where(wrong, other, ids)
        rows, columns = batch.pixels.shape[1] // CELL, batch.pixels.shape[2] // CELL
        layers = tuple(GUIDES) if weights.guide else ()
        hidden, products = network.read(cells, ids, rows, columns, layers)
        chosen = batch.targets != IGNORE
        logits, targets = network.logits(hidden[chosen]), batch.targets[chosen]
        weight = emphasis(batch, weights.jump, weights.far)
        share = (1 + weight[chosen]) / 2
        each = F.cross_entropy(logits, targets, reduction="none")
        text = (each * share).sum() / share.sum()
        log |= {"text": each.mean(), "right": (logits.argmax(-1) == targets).float().mean()}
        if teacher is not None:
            with torch.no_grad():
                told, _ = teacher.read(teacher.see(batch.pixels).cells, ids, rows, columns)
                wanted = teacher.logits(told[chosen]).log_softmax(-1)
            apart = F.kl_div(logits.log_softmax(-1), wanted, reduction="none", log_target=True).sum(-1)
            alike = (logits.argmax(-1) == wanted.argmax(-1)).float().mean()
            log |= {"taught": apart.mean(), "alike": alike}
            text = (1 - TAUGHT) * text + TAUGHT * (apart * share).sum() / share.sum()
        loss = loss + weights.text * text
        if weights.guide:
            guide, log["found"], log["jumped"] = guide_loss(network, products, batch, weight)
            loss, log["guide"] = loss + weights.guide * guide, guide
    return loss, {name: value.detach() for name, value in log.items()}
