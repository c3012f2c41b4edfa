"""Proposers by name: sources joined with ``+``, ``cursor`` for the usual ones together, the paper's ``window``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docspec.core import UsageError
from docspec.core.plugins import load, plugins
from docspec.engine.proposer import Proposer
from docspec.proposing import (  # noqa: F401  (each registers its source)
    drafter_loading,
    head,
    heads,
    lookup,
    ngrams,
    parallel,
    recycling,
    respelling,
    resumption,
    rewrites,
    scaffold,
    syntax,
    window,
)
from docspec.proposing.chain import grow_chain
from docspec.proposing.grower import grow
from docspec.proposing.mixture import Mixture
from docspec.proposing.source import make_source, openers, sources
from docspec.proposing.spelling import Codec

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel

CURSOR = (
    "scaffold",
    "ngrams",
    "respelling",
    "resumption",
    "rewrites",
    "lookup",
    "syntax",
    "heads",
    "recycling",
)
"""The default mixture, in the order in which its sources are asked."""


def make_proposer(
    name: str = "cursor",
    codec: Codec | None = None,
    price: float = 0.0,
    n: int = window.WINDOW,
    target: TargetModel | None = None,
    chains: bool = False,
) -> Proposer:
    """The proposer of a batch: ``window`` alone, or a mixture of the sources that ``name`` stands for.

    ``codec``, ``price`` and ``target``: see :class:`Mixture`; ``n`` is the window's. With ``chains`` it proposes one
    continuation a row, no tree. Raises as :func:`source_names`
    does.
    """
    if name == "window":
        return window.WindowProposer(n, chains)
    made = {source: make_source(source, target) for source in source_names(name)}
    return Mixture(made, codec, price, target, grow_chain if chains else grow)


def open_named(name: str, target: TargetModel) -> None:
    """Loads what sources of ``name`` are made of (``model:NAME``): where that fails, the run ends, and no page fails.

    Raises :class:`docspec.core.ModelError` then.
    """
    for one in source_names(name):
        if one not in sources:
            make_source(one, target)


def source_names(name: str) -> list[str]:
    """The sources that ``name`` joins with ``+``, but those behind a ``-``: ``cursor``, ``window+lookup``,
    ``cursor-rewrites``, ``cursor+model:NAME`` (a name may hold ``-``). Raises :class:`docspec.core.UsageError` for one
    that nobody has registered."""
    found: dict[str, None] = {}
    for sign, part in re.findall(r"(^|[+-])(\w+:[^+]*|[^+-]*)", name):
        for one in CURSOR if part == "cursor" else (part,):
            if one in plugins("proposers") and one not in sources:
                load("proposers", one)  # which registers it
            kind, _, what = one.partition(":")
            if one not in sources and not (what and kind in openers):
                known = [*sources, *(f"{kind}:NAME" for kind in openers)]
                raise UsageError(f"--proposer {name}: no source {one!r}; choose cursor, {', '.join(known)}")
            if sign == "-":
                found.pop(one, None)
            else:
                found[one] = None
    return list(found)
