"""The engine's side of proposing: a class that makes a tree for each row and is told the outcomes. The engine does not
know where a tree comes from. (One way of proposing tokens, such as n-grams, has its contract in
``docspec/proposing/proposer.py``; the class that vLLM loads is in ``docspec/vllm/proposer.py``.)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from docspec.engine.acceptance import VerifyOutcome
from docspec.engine.request import Request
from docspec.engine.row import Row
from docspec.engine.tree import TokenTree
from docspec.targets.protocol import CHOICES_ONLY, Behind, OutputFlags

if TYPE_CHECKING:
    from docspec.targets.protocol import ImportanceCallback, PromptStates


class TreeProposer:
    """Proposes the next tokens for the rows of one batch; its state of a row is keyed by the row's identity.

    A row has its request (prompt, drafts, growing drafts) and its output so far. ``wants`` are the other step outputs
    that it needs: likeliest tokens, hidden states. ``seconds`` is the time spent in each proposer, by name.
    """

    wants: OutputFlags = CHOICES_ONLY
    seconds: Mapping[str, float] = {}

    def on_prefill(self, requests: Sequence[Request]) -> ImportanceCallback | None:
        """Called before ``requests`` are prefilled. The callback that it returns receives the importance of their image
        tokens to the target."""
        return None

    def begin(self, row: Row, states: PromptStates | None = None) -> None:
        """``row`` enters the batch with its first token written; ``states`` are the prompt's, if hidden states are
        wanted."""

    def propose(self, rows: Sequence[Row], limits: Sequence[int]) -> list[TokenTree]:
        """A tree for each of ``rows`` (those of the batch that may have one in this step): its root is the pending
        token, and it has at most ``limits[i]`` nodes, root included (two or more)."""
        raise NotImplementedError

    def behind(self, rows: Sequence[Row]) -> Sequence[Behind]:
        """Work to launch on the device right after the trees of ``rows``, all those of the step, are verified."""
        return ()

    def accepted(self, row: Row, tree: TokenTree, outcome: VerifyOutcome) -> None:
        """The outcome for ``tree``, the one proposed for ``row`` (only the pending token if none was proposed). The
        output is written already."""

    def end(self, row: Row) -> None:
        """``row`` has left the batch."""
