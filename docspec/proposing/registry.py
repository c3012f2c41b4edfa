"""Proposers by name: names joined with ``+``, ``cursor`` for the default mixture, ``window`` for the paper's policy."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING

from docspec.core import UsageError
from docspec.core.plugins import load, plugins
from docspec.engine.proposer import TreeProposer
from docspec.proposing import draft_openings, format_grammar, lookup, ngrams, respelling, resumption, rewrites, window  # noqa: F401  (each registers its proposer)
from docspec.proposing.chains import grow_chain
from docspec.proposing.grower import grow
from docspec.proposing.mixture import MixedProposer
from docspec.proposing.proposer import make_named, openers, proposers
from docspec.proposing.spelling import Codec

if TYPE_CHECKING:
    from docspec.core.choices import SkipPlan
    from docspec.proposing.threshold import NodePrice
    from docspec.targets.protocol import TargetModel

CURSOR = (
    "scaffold",  # format_grammar
    "ngrams",
    "respelling",
    "resumption",
    "rewrites",
    "lookup",
    "syntax",
    "openings",  # draft_openings
)
"""The default mixture, in the order in which its proposers are asked."""


METHODS = {
    "model": "docspec.methods.loading",
    "head": "docspec.methods.loading",
    "parallel": "docspec.methods.parallel",
}
"""The module of each kind of ``KIND:WHAT``, imported when it is named; it registers the kind."""


def make_proposer(
    name: str = "cursor",
    codec: Codec | None = None,
    price: NodePrice = 0.0,
    n: int = window.WINDOW,
    target: TargetModel | None = None,
    chains: bool = False,
    skips: SkipPlan | None = None,
) -> TreeProposer:
    """The proposer of a batch: ``window`` alone, or a mixture of the proposers in ``name``.

    ``codec``, ``price`` and ``target``: see :class:`MixedProposer`; ``n`` is the window's length. With ``chains`` it
    proposes one continuation per row instead of a tree; a mixture for a ``target`` skips verification as ``skips`` says
    (lossy). Raises the same as :func:`proposer_names`.
    """
    if name == "window":
        return window.WindowProposer(n, chains)
    made = {source: make_named(source, target) for source in proposer_names(name)}
    if skips is not None and target is not None:
        skipping = import_module("docspec.methods.skipping").SkippingProposer(made, skips, target, codec, price)
        assert isinstance(skipping, MixedProposer)
        return skipping
    return MixedProposer(made, codec, price, target, grow_chain if chains else grow)


def open_named(name: str, target: TargetModel) -> None:
    """Loads the models of the proposers in ``name`` (``model:NAME``) before the first page, so that a failure ends the
    run.

    Raises :class:`docspec.core.ModelError` if one cannot be loaded.
    """
    for one in proposer_names(name):
        if one not in proposers:
            make_named(one, target)


def proposer_names(name: str) -> list[str]:
    """The proposers that ``name`` joins with ``+``, without those after a ``-``: ``cursor``, ``window+lookup``,
    ``cursor-rewrites``, ``cursor+model:NAME`` (a name may contain ``-``). Raises :class:`docspec.core.UsageError` for
    an unknown proposer."""
    found: dict[str, None] = {}
    for sign, part in re.findall(r"(^|[+-])(\w+:[^+]*|[^+-]*)", name):
        for one in CURSOR if part == "cursor" else (part,):
            if one in plugins("proposers") and one not in proposers:
                load("proposers", one)  # which registers it
            kind, _, what = one.partition(":")
            if what and kind in METHODS:
                import_module(METHODS[kind])
            if one not in proposers and not (what and kind in openers):
                known = [*proposers, *(f"{kind}:NAME" for kind in {**METHODS, **openers})]
                raise UsageError(f"--proposer {name}: no proposer {one!r}; choose cursor, {', '.join(known)}")
            if sign == "-":
                found.pop(one, None)
            else:
                found[one] = None
    return list(found)
