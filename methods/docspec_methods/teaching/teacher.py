"""How a head is taught: first one step ahead, then several, on states that it made itself.

The several steps are simulated on whole sequences at once: at step ``i`` each place is given the head's own state of
the place before, and looks at the target's positions up to ``i`` behind it and at its own of the steps since, as it
will when it drafts (HiViS, section 3.3; the same serves ViSpec's multi-token prediction). Places whose token was not
among the head's :data:`TOP` likeliest at a step are left out of the later ones.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from docspec_methods.head_network import Head
from docspec_methods.teaching.lessons import Lesson

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

TOP = 5
BETA, GAMMA = 0.1, 1.0
"""K and the weights of the losses, as HiViS states them (section 4 and equation 4)."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one pass over some lessons gave: the loss to go down, and how often the likeliest token was right,
    ``right[i]`` of ``tried[i]`` positions at step ``i``, where all steps before were right."""

    loss: torch.Tensor
    right: list[int]
    tried: list[int]

    @property
    def acceptance_length(self) -> float:
        """Drafted tokens in a row that are right, at most as many as there are steps."""
        return sum(self.right) / max(1, self.tried[0])


def taught(head: Head, target: TargetModel, lessons: Sequence[Lesson], steps: int) -> Result:
    """Losses of ``head`` on some lessons at once, ``steps`` ahead: equation 4 of HiViS at each step, their mean."""
    hidden = pad_sequence([lesson.hidden for lesson in lessons], True)
    tokens = pad_sequence([lesson.tokens for lesson in lessons], True)
    image = hidden.new_zeros(1, 1, head.config.size)
    first = None
    if head.sees_images():
        shown = pad_sequence([lesson.image for lesson in lessons], True)
        compressed, image = head.compress(shown, _ends(lessons, shown, "image") <= 0)
        image = image.unsqueeze(1)
        positions = torch.arange(compressed.shape[1], device=hidden.device).expand(len(lessons), -1)
        _, *first = head.projected(compressed, positions)
    before = 0 if first is None else first[0].shape[2]
    size = tokens.shape[1] - 1  # the state after the last token is not known
    told, following = hidden[:, 1:], tokens[:, 1:]
    with torch.no_grad():
        wanted = target.logits(told).float().softmax(-1)
        likeliest = wanted.topk(TOP, -1)
    at = torch.arange(size, device=hidden.device).expand(len(lessons), -1)
    begun = torch.tensor([lesson.first for lesson in lessons], device=hidden.device).unsqueeze(1)
    states, given = hidden[:, :size], target.embed(tokens)[:, :size]
    inside = _ends(lessons, tokens, "tokens")[:, :size] > 1
    alive = (at >= begun) & inside
    sure = alive.clone()
    keys: list[torch.Tensor] = []
    values: list[torch.Tensor] = []
    losses, right, tried = [], [], []
    for step in range(steps):
        fused = head.fuse(torch.cat((states + image, given), -1))
        if head.config.kind == "hivis":
            fused = fused + head.residual(head.residuals[min(step, head.config.steps - 1)])
        query, key, value = head.projected(fused, at + before)
        keys.append(key)
        values.append(value)
        made = head.finished(fused, _looked(query, keys, values, first))
        predicted = target.logits(made).float().log_softmax(-1)
        ahead = predicted.gather(-1, likeliest.indices)
        loss = functional.smooth_l1_loss(made, told, reduction="none").mean(-1)
        loss = loss - BETA * (wanted * predicted).sum(-1) - GAMMA * (likeliest.values * ahead).sum(-1)
        losses.append((loss * alive).sum() / alive.sum().clamp(min=1))
        with torch.no_grad():
            guesses = predicted.topk(TOP, -1).indices
            among = (guesses == following.unsqueeze(-1)).any(-1)
            tried.append(int(sure.sum()))
            sure = sure & (guesses[..., 0] == following)
            right.append(int(sure.sum()))
            sure, alive = _on(sure) & inside, _on(alive & among) & inside
        states = torch.cat((states[:, :1], made[:, :-1]), 1)  # its own state of the place before
    return Result(torch.stack(losses).mean(), right, tried)


def _ends(lessons: Sequence[Lesson], padded: torch.Tensor, name: str) -> torch.Tensor:
    """How many of each row's own positions ``(rows, positions)`` are left at each place of ``padded``, itself
    included."""
    sizes = torch.tensor([len(getattr(lesson, name)) for lesson in lessons], device=padded.device)
    return sizes.unsqueeze(1) - torch.arange(padded.shape[1], device=padded.device)


def _on(positions: torch.Tensor) -> torch.Tensor:
    """Each place's answer handed to the next one."""
    return functional.pad(positions[:, :-1], (1, 0))


def _looked(
    query: torch.Tensor,
    keys: Sequence[torch.Tensor],
    values: Sequence[torch.Tensor],
    first: Sequence[torch.Tensor] | None,
) -> torch.Tensor:
    """Attention of step ``i`` (``len(keys) - 1``): the image's tokens, the target's positions up to ``i`` behind, and
    of each step since the one place that led here."""
    step, size = len(keys) - 1, query.shape[2]
    scale = query.shape[-1] ** -0.5
    at = torch.arange(size, device=query.device)
    seen = at.unsqueeze(0) <= at.unsqueeze(1) - step
    scores = (query @ keys[0].transpose(2, 3) * scale).masked_fill(~seen, -torch.inf)
    parts, lent = [scores], [values[0]]
    if first is not None:
        parts.insert(0, query @ first[0].transpose(2, 3) * scale)
        lent.insert(0, first[1])
    for number in range(1, step + 1):
        behind = step - number
        own = (query * _shifted(keys[number], behind)).sum(-1, keepdim=True) * scale
        parts.append(own.masked_fill((at < behind).view(1, 1, -1, 1), -torch.inf))
    weights = torch.cat(parts, -1).softmax(-1)
    wide = weights.shape[-1] - step
    looked = weights[..., :wide] @ torch.cat(lent, 2)
    for number in range(1, step + 1):
        share = weights[..., wide + number - 1 : wide + number]
        looked = looked + share * _shifted(values[number], step - number)
    return looked


def _shifted(vectors: torch.Tensor, positions: int) -> torch.Tensor:
    """``(rows, heads, tokens, size)`` moved on by ``positions``."""
    return functional.pad(vectors[:, :, : vectors.shape[2] - positions], (0, 0, positions, 0)) if positions else vectors


class Teacher:
    """Teaches ``head`` from ``lessons``, a few at a time; one in ten is kept apart to measure with.

    ``progress`` (0..1) of the whole teaching decides how fast it learns (a warm-up, then a decay to nothing) and how
    far ahead it goes: one step in the first half, then ``head.config.steps``.
    """

    def __init__(self, head: Head, target: TargetModel, lessons: Sequence[Lesson], rate: float, seed: int = 0) -> None:
        self.head = head
        self._target = target
        self._rate = rate
        self._rng = random.Random(seed)
        self._kept = list(lessons[::10])
        others = [lesson for number, lesson in enumerate(lessons) if number % 10] or self._kept
        self._lessons = sorted(others, key=lambda lesson: len(lesson.tokens))
        self._lengths = [len(lesson.tokens) for lesson in self._lessons]
        self._optimiser = torch.optim.AdamW(head.parameters(), lr=rate, betas=(0.9, 0.95), weight_decay=0.01)

    def teach(self, progress: float, tokens: int = 1500) -> Result:
        """One update over lessons of at least that many tokens together."""
        steps = 1 if progress < 0.5 else self.head.config.steps
        for group in self._optimiser.param_groups:
            group["lr"] = self._rate * min(1.0, progress / 0.05 + 0.05) * (1 - progress)
        result = taught(self.head, self._target, self._some(tokens), steps)
        result.loss.backward()
        torch.nn.utils.clip_grad_norm_(self.head.parameters(), 1.0)
        self._optimiser.step()
        self._optimiser.zero_grad()
        return replace(result, loss=result.loss.detach())

    def _some(self, tokens: int) -> list[Lesson]:
        """Lessons of at least that many tokens together, of about one length."""
        start = self._rng.choices(range(len(self._lessons)), self._lengths)[0]
        some: list[Lesson] = []
        held = 0
        while held < tokens:
            some.append(self._lessons[(start + len(some)) % len(self._lessons)])
            held += len(some[-1].tokens)
        return some

    def keep(self, file: Path, done: int) -> None:
        """Writes what :meth:`restore` goes on from: ``file`` is whole or as it was."""
        state = {"head": self.head.state_dict(), "optimiser": self._optimiser.state_dict(), "done": done}
        torch.save(state, file.with_suffix(".part"))
        file.with_suffix(".part").replace(file)

    def restore(self, file: Path) -> int:
        """How many updates were done when ``file`` was written; 0 where there is none."""
        if not file.exists():
            return 0
        state = torch.load(file, weights_only=True)
        self.head.load_state_dict(state["head"])
        self._optimiser.load_state_dict(state["optimiser"])
        self._rng.seed(state["done"])
        return int(state["done"])

    @torch.no_grad()
    def examine(self) -> Result:
        """The lessons that were kept apart."""
        return _together([taught(self.head, self._target, [lesson], self.head.config.steps) for lesson in self._kept])


def _together(results: Sequence[Result]) -> Result:
    return Result(
        torch.stack([one.loss.detach() for one in results]).mean(),
        [sum(right) for right in zip(*(one.right for one in results), strict=True)],
        [sum(tried) for tried in zip(*(one.tried for one in results), strict=True)],
    )
