"""From logits to what a step answers: rules first, then the choice, its margin, its probability, the next likeliest."""

from __future__ import annotations

import math

import torch

from docspec.targets.rules import RowRules
from docspec.targets.stepping.step import Answer, Choice, StepBatch


def judged(logits: torch.Tensor, step: StepBatch, scored: bool, ranks: int = 0) -> Answer:
    """The answer to ``step`` from its ``logits`` ``(rows, tree, vocab)``: log-probabilities where ``scored``, the
    ``ranks`` likeliest tokens of each node where not."""
    if step.rules:
        logits = obeyed(logits, step)
    if scored:
        tokens, parents = (torch.from_numpy(ids).to(logits.device) for ids in (step.tokens, step.parents))
        choice, best, drafted = score(logits, tokens, parents)
        margin = margins(logits).tolist() if step.margins else ()
        return Answer(choice.tolist(), best.tolist(), drafted.tolist(), margin=margin)
    ranks = min(max(ranks, 2 * step.margins), logits.shape[-1])
    if not ranks:
        return Answer(logits.argmax(-1).tolist())
    values, top = logits.topk(ranks, -1)
    margin = (values[..., 0].float() - values[..., 1].float()).tolist() if step.margins else ()
    return Answer(
        logits.argmax(-1).tolist(), top=top.tolist(), margin=margin
    )  # of equals the first, as generate


def obeyed(logits: torch.Tensor, step: StepBatch) -> torch.Tensor:
    """``logits`` ``(rows, nodes, vocab)`` of ``step`` as its rows' rules leave them, in float32."""
    return torch.stack(
        [
            row.float() if rules is None else rules(row, tokens, parents)
            for row, rules, tokens, parents in zip(
                logits, step.rules, step.tokens.tolist(), step.parents.tolist(), strict=True
            )
        ]
    )


def chosen(logits: torch.Tensor, rules: RowRules | None = None, margin: bool = False) -> Choice:
    """What ``logits`` ``(vocab,)`` after all that is written of a row choose; the margin where it is asked for."""
    if rules is not None:
        logits = rules.next(logits)
    return Choice(int(logits.argmax()), float(margins(logits)) if margin else math.nan)


def margins(logits: torch.Tensor) -> torch.Tensor:
    """How far the largest of ``logits`` ``(..., vocab)`` is from the second, in float32."""
    first, second = logits.topk(2, -1).values.float().unbind(-1)
    return first - second


def score(
    logits: torch.Tensor, tokens: torch.Tensor, parents: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of ``logits`` ``(rows, tree, vocab)``: the argmax tokens, their log-probabilities in nats, and those of
    ``tokens`` after their ``parents``; each ``(rows, tree)``."""
    logprobs = torch.log_softmax(logits.float(), dim=-1)
    best, choice = logprobs.max(-1)
    after_parent = logprobs.gather(1, parents.unsqueeze(-1).expand(-1, -1, logprobs.shape[-1]))
    return choice, best, after_parent.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
