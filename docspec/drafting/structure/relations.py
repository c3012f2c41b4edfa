"""The relation network in use: log-odds of what each two tokens of a page share, by ONNX Runtime."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from docspec.core.libraries import session
from docspec.drafting.structure.features import Features
from docspec.drafting.structure.tokens import Floats


class Relations:
    """The network of a file (``training/structure`` teaches it)."""

    def __init__(self, path: Path) -> None:
        self._session = session(path, threads=1, keeps_memory=True)

    def of(self, features: Features) -> tuple[Floats, Floats]:
        """The log-odds of relations (n, n, 5: table, row, column, cell, block) and of states (n, 2: in a table, of a
        head)."""
        pairs, states = self._session.run(None, {"tokens": features.tokens, "pairs": features.pairs})
        return pairs, states


@cache
def relations() -> Relations:
    """The network that comes with docspec."""
    return Relations(Path(__file__).with_name("relations.onnx"))
