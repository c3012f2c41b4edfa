"""The contract of everything that proposes: trees in, outcomes back. The engine never asks where a tree comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from docspec.engine.acceptance import VerifyOutcome
from docspec.engine.request import Request
from docspec.engine.row import Row
from docspec.engine.tree import TokenTree
from docspec.targets.protocol import Behind, OutputFlags

if TYPE_CHECKING:
    from docspec.targets.protocol import ImportanceCallback, PromptStates


class TreeProposer(Protocol):
    """Suggests what the rows of one batch may write next. What it knows of a row it keeps by the row's identity.

    A row tells its request (prompt, drafts, drafts that grow) and its output so far. ``wants`` is what steps are to
    tell beside that: likeliest tokens, hidden states. ``seconds`` are those of each proposer, by name.
    """

    wants: OutputFlags

    @property
    def seconds(self) -> Mapping[str, float]: ...

    def on_prefill(self, requests: Sequence[Request]) -> ImportanceCallback | None:
        """Told before ``requests`` are prefilled. What it returns is called with how much their image tokens matter to
        the target."""
        ...

    def begin(self, row: Row, states: PromptStates | None = None) -> None:
        """``row`` enters the batch, its first token written; the prompt's ``states`` where hidden ones are wanted."""
        ...

    def propose(self, rows: Sequence[Row], limits: Sequence[int]) -> list[TokenTree]:
        """A tree for each of ``rows`` (those of the batch that may have one in this step): its root is the pending
        token, and it has at most ``limits[i]`` nodes, root included (two or more)."""
        ...

    def behind(self, rows: Sequence[Row]) -> Sequence[Behind]:
        """Work to launch on the device right after the trees of ``rows``, all those of the step, are verified."""
        ...

    def accepted(self, row: Row, tree: TokenTree, outcome: VerifyOutcome) -> None:
        """What became of ``tree``, the one that was proposed for ``row`` (the pending token alone where nobody was
        asked for one). The output has been written already."""
        ...

    def end(self, row: Row) -> None:
        """``row`` has left the batch."""
        ...
