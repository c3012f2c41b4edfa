"""The cursor of many rows at once, in tensors: where each output is in its drafts, and what the drafts say next.

vLLM's Model Runner V2 schedules the next step before the host knows the tokens of the last one, so the cursor moves on
the device, without waiting. It decides as the proposers ``ngrams``, ``resumption`` and ``openings`` do before they have
learnt anything (their keys and priors are used), and takes the likeliest place: the output follows a draft until a
token differs; then the places are weighed where the last tokens stand in the drafts again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from docspec.proposing import draft_openings, ngrams, resumption
from docspec.proposing.context import GIVEN_UP
from docspec.proposing.drafts import END

NO_TOKEN = -2
"""Stands in ``tail`` before the output's first token."""

MATCHED = ngrams.MATCHED[-1]
"""Most equal tokens that are counted."""

QUAD = 4
"""Places after this many equal tokens leave out those after fewer."""


class Cursors(NamedTuple):
    """``position`` ``(rows,)``: the next token's place in the drafts, or where the output left them ``since`` tokens
    ago; 0 before it has been in one. ``aim``: where the last proposals were copied from; 0 if nothing was proposed."""

    position: torch.Tensor
    since: torch.Tensor
    aim: torch.Tensor


def text_of(drafts: Sequence[Sequence[int]], most: int) -> list[int]:
    """The drafts in order, each followed by ``END``, at most ``most`` numbers; place 0 is no draft's."""
    text = [END]
    for draft in dict.fromkeys(map(tuple, drafts)):
        text += (*draft, END)
    return text if len(text) <= most else [*text[: most - 1], END]


def begin(rows: int, device: torch.device | str) -> Cursors:
    """Cursors before the first token of ``rows`` rows."""
    return Cursors(*(torch.zeros(rows, dtype=torch.int64, device=device) for _ in Cursors._fields))


def advance(texts: torch.Tensor, cursors: Cursors, tail: torch.Tensor, new: torch.Tensor) -> Cursors:
    """The cursors after ``new`` ``(rows,)`` tokens, the last ones of ``tail`` ``(rows, width)``, which has at least
    ``MATCHED`` and as many as a step can write. ``texts`` ``(rows, places)`` are padded with ``END``. Rows without a
    new token stay where they are."""
    position, since, aim = cursors
    width = tail.shape[1]
    each = torch.arange(width, device=tail.device)
    written = tail.gather(1, (width - new.unsqueeze(1) + each).clamp(max=width - 1))
    drafted = texts.gather(1, (aim.unsqueeze(1) + each).clamp(max=texts.shape[1] - 1))
    right = ((written == drafted) & (each < new.unsqueeze(1))).cumprod(1).sum(1)
    right = torch.where(aim > 0, right, 0)
    followed = (since == 0) & (aim == position)
    moved = (right > 0) | followed
    position = torch.where(moved, torch.where(aim > 0, aim + right, position), position)
    since = torch.where(moved, new - right, since + new)
    found = _place(texts, position, since, tail)
    following = (since == 0) & (position > 0) & (_at(texts, position) != END)
    moved_on = Cursors(position, since, torch.where(following, position, found))
    return Cursors(*(torch.where(new > 0, now, before) for now, before in zip(moved_on, cursors, strict=True)))


def proposals(texts: torch.Tensor, aim: torch.Tensor, length: int, fill: torch.Tensor) -> torch.Tensor:
    """``(rows, length)`` tokens from the places ``aim`` on; after the end of a draft, and where there is no place, the
    token ``fill`` ``(rows,)``, which is verified as any other."""
    places = aim.unsqueeze(1) + torch.arange(length, device=aim.device)
    tokens = texts.gather(1, places.clamp(max=texts.shape[1] - 1))
    drafted = (aim.unsqueeze(1) > 0) & (tokens != END).cumprod(1).bool() & (places < texts.shape[1])
    return torch.where(drafted, tokens, fill.unsqueeze(1))


def _at(texts: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    return texts.gather(1, places.unsqueeze(1)).squeeze(1)


def _place(texts: torch.Tensor, position: torch.Tensor, since: torch.Tensor, tail: torch.Tensor) -> torch.Tensor:
    """For each row the likeliest place ``(rows,)`` of the next token; 0 if there is none."""
    rows, places = texts.shape
    place = torch.arange(places, device=texts.device)
    before = torch.cat([texts.new_full((rows, MATCHED), END), texts], 1)
    same = torch.ones_like(texts, dtype=torch.bool)
    agreed = torch.zeros_like(texts)
    for back in range(1, MATCHED + 1):
        same = same & (before[:, MATCHED - back : MATCHED - back + places] == tail[:, -back].unsqueeze(1))
        agreed = agreed + same
    last = agreed > 0
    ends = (texts == END).long()
    draft = ends.cumsum(1) - ends  # an END belongs to the draft before it
    distance = place - position.unsqueeze(1)
    here = (draft == draft.gather(1, position.unsqueeze(1))) & (position.unsqueeze(1) > 0)
    near = here & (distance >= ngrams.REACH.start) & (distance < ngrams.REACH.stop)
    chance, order = _after_ngrams(agreed, near), torch.full_like(agreed, 3)

    since, reach = since.unsqueeze(1), resumption.REACH
    ahead = here & (distance >= 0) & (distance < reach) & (since > 0) & (since <= GIVEN_UP)
    first = since == 1
    again = last & ahead & (distance > first)
    again = again & (again.cumsum(1) <= 1 + first.long())  # twice right after the mismatch
    skipped = distance - 1
    skip = torch.where(skipped <= 12, resumption.SKIP_SOME.prior, resumption.SKIP_MUCH.prior)
    skip = torch.where(skipped <= 3, resumption.SKIP_LITTLE.prior, skip)
    stay = ahead & first & (distance <= 1)
    later = ahead & ~first & (since <= resumption.TAIL) & (distance <= since + 1)
    begun = last & (before[:, MATCHED - 2 : MATCHED - 2 + places] == END)
    for rank, (where, prior) in enumerate(
        (
            (again, skip),
            (stay, resumption.STAY.prior),
            (later, resumption.STAY_LATER.prior),
            (begun, draft_openings.BEGUN.prior),
        )
    ):
        better = where & (prior > chance)
        chance, order = torch.where(better, prior, chance), torch.where(better, 2 - rank, order)
    # The likeliest; of several that are likely alike the proposer that is asked first, and its first place.
    score = ((chance * 1000).round().long() * 8 + order + 1) * places + (places - 1 - place)
    best, found = torch.where((texts != END) & (chance > 0), score, 0).max(1)
    return torch.where(best > 0, found, 0)


def _after_ngrams(agreed: torch.Tensor, near: torch.Tensor) -> torch.Tensor:
    """The chance of each place by the number of equal tokens before it."""
    chance = torch.zeros(agreed.shape, dtype=torch.float32, device=agreed.device)
    for size, close, far in zip(ngrams.MATCHED, ngrams.NEAR, ngrams.FAR, strict=True):
        chance = torch.where(agreed >= size, torch.where(near, close.prior, far.prior), chance)
    quads = agreed >= QUAD
    return torch.where(quads | ~quads.any(1, keepdim=True), chance, 0.0)
