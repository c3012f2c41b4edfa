"""The lengths of chains for which vLLM captures graphs under Model Runner V2.

vLLM captures a graph of decoding for each number of speculated tokens in its schedule by batch size
(``num_speculative_tokens_per_batch_size``), which users may set. Without one it captures the full length alone, and
steps without drafts would lose their graph: docspec's own schedule has both.

A request without drafts, or whose drafts do not help, speculates nothing: the length of its chain follows one step
behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from docspec.vllm.request import DRAFTS

HOPE = 4.0
"""Accepted tokens a verification that a request with drafts is assumed to have at first."""

FADE = 0.8
"""Decay of the running mean of accepted tokens with each verification."""

LEAST = 1.0
"""Accepted tokens a verification below which a request rests."""

REST = 8
"""Steps without speculated tokens before drafts are tried once more."""


@dataclass(slots=True)
class Trust:
    """``accepted``: the running mean of accepted tokens a verification; ``resting``: steps left without any."""

    accepted: float = HOPE
    resting: int = 0

    def verified(self, accepted: int) -> None:
        """A verification has accepted so many tokens. Those that were under way when a rest began do not prolong it."""
        self.accepted = FADE * self.accepted + (1 - FADE) * accepted
        if self.accepted < LEAST and not self.resting:
            self.resting = REST

    def speculates(self) -> bool:
        """Whether the next step of the request verifies drafted tokens; asked once a step."""
        if not self.resting:
            return True
        self.resting -= 1
        if not self.resting:
            self.accepted = LEAST  # tried once more
        return False


def trust_in(extra_args: Mapping[str, Any] | None) -> Trust | None:
    """The trust that a request begins with; ``None`` without drafts."""
    return Trust() if (extra_args or {}).get(DRAFTS) else None


Schedule = list[tuple[int, int, int]]
"""Ranges of batch sizes, both ends included, each with a number of speculated tokens."""


def own_schedule(vllm_config: Any) -> Schedule:
    """The full length and none. The batch sizes mean nothing: docspec's scheduler chooses by what is drafted."""
    most = int(vllm_config.scheduler_config.max_num_seqs)
    full = (1, max(most - 1, 1), int(vllm_config.speculative_config.num_speculative_tokens))
    return [full, (most, most, 0)] if most > 1 else [full]


def is_own_schedule(vllm_config: Any) -> bool:
    """Whether vLLM's schedule is docspec's, and not a user's."""
    given = vllm_config.speculative_config.num_speculative_tokens_per_batch_size
    return given is not None and list(map(tuple, given)) == own_schedule(vllm_config)
