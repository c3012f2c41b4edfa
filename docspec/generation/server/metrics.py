"""vLLM's own counters of speculative decoding, read from the text of ``/metrics``.

They count all clients of a server: their difference over a run is the run's if the server has no other client.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

_SAMPLE = re.compile(r"^vllm:(\w+?)(?:_total)?(?:\{[^}]*\})?\s+([0-9.eE+-]+)\s*$", re.MULTILINE)

_NAMES = {
    "drafts": "spec_decode_num_drafts",
    "drafted": "spec_decode_num_draft_tokens",
    "accepted": "spec_decode_num_accepted_tokens",
    "written": "generation_tokens",
}


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """Numbers of verified ``drafts``, of their ``drafted`` and ``accepted`` tokens, and of all tokens ``written``."""

    drafts: int = 0
    drafted: int = 0
    accepted: int = 0
    written: int = 0

    def since(self, before: ServerCounts) -> ServerCounts:
        """The counts since ``before``; a restarted server counts from 0."""
        now, then = asdict(self), asdict(before)
        again = any(now[name] < then[name] for name in now)
        return self if again else ServerCounts(**{name: now[name] - then[name] for name in now})


def counts_in(text: str) -> ServerCounts | None:
    """The counters in an answer of ``/metrics``; ``None`` if it has none of speculative decoding."""
    found: dict[str, float] = {}
    for name, value in _SAMPLE.findall(text):
        found[name] = found.get(name, 0.0) + float(value)
    if _NAMES["drafts"] not in found:
        return None
    return ServerCounts(**{ours: int(found.get(theirs, 0)) for ours, theirs in _NAMES.items()})
