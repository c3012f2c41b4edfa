"""How long the chain of a request is, one step behind: nothing is speculated where drafts do not help."""

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
