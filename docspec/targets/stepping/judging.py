"""From logits to what a step answers: rules first, then the choice, its margin, its probability, the next likeliest."""

from __future__ import annotations

import math

import torch

from docspec.targets.rules import RowRules
from docspec.targets.stepping.step import Answer, Choice, StepBatch, Wanted


def judged(logits: torch.Tensor, step: StepBatch, hidden: torch.Tensor | None = None) -> Answer:
    """The answer to ``step`` from its ``logits`` ``(rows, tree, vocab)``, and its ``hidden`` states where they are
    wanted."""
    if step.rules:
        logits = obeyed(logits, step)
    wanted = step.wanted
    scores: tuple[list[list[float]], ...] = ()
    if wanted.scores:
        tokens, parents = (torch.from_numpy(ids).to(logits.device) for ids in (step.tokens, step.parents))
        choice, *found = score(logits, tokens, parents)
        scores = tuple(one.tolist() for one in found)
    else:
        choice = logits.argmax(-1)  # of equals the first, as generate
    best, drafted = scores or ((), ())
    top, margin = likeliest(logits, wanted)
    return Answer(
        choice.tolist(),
        best,
        drafted,
        top.tolist() if top is not None else (),
        margin.tolist() if margin is not None else (),
        hidden if wanted.hidden else None,
    )


def likeliest(logits: torch.Tensor, wanted: Wanted) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Of ``logits`` ``(..., vocab)``: the likeliest tokens ``(..., ranks)``, best first, and how far the first one's is
    from the second's, in float32; each where it is wanted. One search through the vocabulary finds both."""
    ranks = min(max(wanted.ranks, 2 * wanted.margins), logits.shape[-1])
    if not ranks:
        return None, None
    values, top = logits.topk(ranks, -1)
    margin = values[..., 0].float() - values[..., 1].float() if wanted.margins else None
    return top[..., : wanted.ranks] if wanted.ranks else None, margin


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
    _, apart = likeliest(logits, Wanted(margins=margin))
    return Choice(int(logits.argmax()), math.nan if apart is None else float(apart))


def score(
    logits: torch.Tensor, tokens: torch.Tensor, parents: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of ``logits`` ``(rows, tree, vocab)``: the argmax tokens, their log-probabilities in nats, and those of
    ``tokens`` after their ``parents``; each ``(rows, tree)``."""
    logprobs = torch.log_softmax(logits.float(), dim=-1)
    best, choice = logprobs.max(-1)
    after_parent = logprobs.gather(1, parents.unsqueeze(-1).expand(-1, -1, logprobs.shape[-1]))
    return choice, best, after_parent.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
