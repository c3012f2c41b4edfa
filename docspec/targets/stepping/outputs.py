"""Turns logits into the outputs of a step: choices, margins, probabilities and the next likeliest tokens.

All outputs are stacked into one tensor on the device, so that a step is waited for once, and unpacked on the host.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch

from docspec.targets.rules import Edits, RowRules
from docspec.targets.stepping.inputs import Inputs
from docspec.targets.stepping.step import Choice, OutputFlags, StepBatch, StepOutput, Verified

LARGEST = 1 << 24
"""Largest vocabulary whose token ids float32 represents exactly."""


def edits_of(step: StepBatch) -> Edits | None:
    """The edits of the rows' rules to the logits of ``step``; ``None`` without rules."""
    if not step.rules:
        return None
    edits = Edits(next(rules.penalty for rules in step.rules if rules is not None))
    for row, (rules, tokens, parents) in enumerate(
        zip(step.rules, step.tokens.tolist(), step.parents.tolist(), strict=True)
    ):
        if rules is not None:
            rules.plan(edits, row, tokens, parents)
    return edits


def arrays_of(edits: Edits | None) -> Sequence[np.ndarray]:
    """The arrays that ``edits`` need on the device."""
    return () if edits is None else edits.arrays()


def planes(flags: OutputFlags) -> int:
    """How many numbers each node's output has."""
    return (3 if flags.scores else 1) + flags.margins


def step_outputs(logits: torch.Tensor, tokens: torch.Tensor, parents: torch.Tensor, flags: OutputFlags) -> torch.Tensor:
    """The outputs for trees of ``tokens`` with ``parents`` (both ``(rows, tree)``) from their ``logits`` ``(rows, tree,
    vocab)``: ``(planes, rows, tree)`` in float32, decoded by :func:`unpacked`."""
    if logits.shape[-1] > LARGEST:
        raise ValueError(f"a vocabulary of {logits.shape[-1]} tokens is too large")
    choice = argmax(logits)
    found = score(logits, tokens, parents) if flags.scores else (choice,)
    if flags.margins:
        found = (*found, margins_of(logits, choice))
    return torch.stack([plane.float() for plane in found])


def brought(
    answer: torch.Tensor,
    step: StepBatch,
    inputs: Inputs,
    hidden: torch.Tensor | None,
    arrays: Sequence[Sequence[torch.Tensor]],
) -> torch.Tensor:
    """The ``answer`` to ``step`` on the host. The work behind the step is launched before, over the first rows of
    ``inputs`` and ``hidden`` states and with its own ``arrays``; its results arrive in the same copy."""
    if not step.behind:
        return answer.cpu()
    own = slice(step.rows)
    verified = Verified(
        inputs.tokens[own],
        inputs.parents[own],
        inputs.ancestry[own],
        answer[0, own].long(),
        None if hidden is None else hidden[own],
        deepest=int(step.ancestry.sum(2).max()),
    )
    found = [answer, *(one.launch(verified, its) for one, its in zip(step.behind, arrays, strict=True))]
    whole = torch.cat([one.flatten() for one in found]).cpu()
    mine, *theirs = (
        part.view(one.shape) for part, one in zip(whole.split([one.numel() for one in found]), found, strict=True)
    )
    for one, numbers in zip(step.behind, theirs, strict=True):
        one.arrived(numbers)
    return mine


def unpacked(answer: torch.Tensor, flags: OutputFlags, hidden: torch.Tensor | None = None) -> StepOutput:
    """The outputs in ``answer`` ``(planes, rows, tree)`` on the host; ``hidden`` states are passed on."""
    split = iter(answer)
    choice = next(split).long().tolist()
    best, drafted = (next(split).tolist(), next(split).tolist()) if flags.scores else ((), ())
    margin = next(split).tolist() if flags.margins else ()
    return StepOutput(choice, best, drafted, margin, hidden if flags.hidden else None)


def argmax(logits: torch.Tensor) -> torch.Tensor:
    """The likeliest tokens ``(...)`` of ``logits`` ``(..., vocab)``, of equals the first. On a CPU NumPy's search is
    five to ten times as fast as torch's."""
    return torch.from_numpy(np.asarray(logits.numpy().argmax(-1))) if _is_numpys(logits) else logits.argmax(-1)


def margins_of(logits: torch.Tensor, choice: torch.Tensor) -> torch.Tensor:
    """The differences of the two best ``logits`` ``(..., vocab)`` in float32, ``choice`` being the best ones.

    A search for two costs several times what one costs; so the best is left out, and the best of the rest looked up.
    """
    if _is_numpys(logits):
        return _margins_in_place(logits, choice)
    at = choice.unsqueeze(-1)
    second = logits.scatter(-1, at, -torch.inf).amax(-1)
    return logits.gather(-1, at).squeeze(-1).float() - second.float()


def _margins_in_place(logits: torch.Tensor, choice: torch.Tensor) -> torch.Tensor:
    """:func:`margins_of` on a CPU, where a copy of the logits would cost more than the search; they are left as they
    were."""
    flat = logits.numpy().reshape(-1, logits.shape[-1])
    best = np.arange(len(flat)), choice.numpy().reshape(-1)
    highest = flat[best]
    flat[best] = -np.inf
    second = flat.max(-1)
    flat[best] = highest
    return torch.from_numpy(highest - second).view(choice.shape)


def _is_numpys(logits: torch.Tensor) -> bool:
    """Whether NumPy can read ``logits`` in place."""
    return logits.device.type == "cpu" and logits.dtype == torch.float32 and not torch.compiler.is_compiling()


def choice_of(logits: torch.Tensor, rules: RowRules | None = None, margin: bool = False) -> Choice:
    """The choice from ``logits`` ``(vocab,)`` after a row's whole output, with its margin if asked for."""
    if rules is not None:
        logits = rules.next(logits)
    token = argmax(logits)
    if not margin:
        return Choice(int(token), math.nan)
    first, least = torch.stack((token.float(), margins_of(logits, token))).tolist()
    return Choice(int(first), least)


def score(
    logits: torch.Tensor, tokens: torch.Tensor, parents: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The argmax tokens of ``logits`` ``(rows, tree, vocab)``, their log-probabilities in nats, and those of ``tokens``
    after their ``parents``; each ``(rows, tree)``."""
    logprobs = torch.log_softmax(logits.float(), dim=-1)
    best, choice = logprobs.max(-1)
    after_parent = logprobs.gather(1, parents.unsqueeze(-1).expand(-1, -1, logprobs.shape[-1]))
    return choice, best, after_parent.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
