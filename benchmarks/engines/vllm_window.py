"""The paper's policy inside vLLM, to be measured beside docspec's: the first continuation of the last three tokens in
the drafts, as long as vLLM takes it, at any load. vLLM loads it by name, as it loads :class:`docspec.vllm.Proposer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docspec.proposing.chains import Chained, Chains, row_of
from docspec.proposing.drafts import DraftText
from docspec.proposing.spelling import Codec
from docspec.proposing.window import WindowProposer as Policy
from docspec.vllm import proposer


class VllmWindowProposer(proposer.Proposer):
    """docspec's proposer with the paper's policy in place of the cursor."""

    def __init__(self, vllm_config: Any, codec: Codec | None = None) -> None:
        super().__init__(vllm_config, codec)
        self.chains = WindowChains(self._codec)


class WindowChains(Chains):
    """Nothing is learnt, and nothing is weighed against its price."""

    def __init__(self, codec: Codec) -> None:
        super().__init__(codec)
        self._policy = Policy(chains=True)

    def begin(
        self,
        drafts: Sequence[Sequence[int]],
        kind: str,
        room: int,
        output: Sequence[int],
        ready: DraftText | None = None,
    ) -> Chained:
        row = row_of(drafts, kind, room, output)
        self._policy.begin(row)
        return Chained(row, room)

    def written(self, chained: Chained, new: Sequence[int]) -> None:
        chained.row.output += new

    def propose(
        self, asked: Sequence[tuple[Chained, int]], writing: int, began: float | None = None
    ) -> list[list[int]]:
        limits = [min(room, one.room - len(one.row.output) - 1) + 1 for one, room in asked]
        trees = self._policy.propose([one.row for one, _ in asked], [max(1, limit) for limit in limits])
        return [tree.tokens[1:] for tree in trees]

    def end(self, chained: Chained) -> None:
        self._policy.end(chained.row)
