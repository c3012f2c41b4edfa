"""Proposers by name: names joined with ``+``, ``cursor`` for the default mixture, ``window`` for the paper's policy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

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


METHODS = ("model", "head", "parallel")
"""Kinds of ``KIND:WHAT`` that the plug-in docspec-methods brings (``methods/`` of the repository), for messages."""

SKIPPING = "skip-verification"
"""The name of its entry point for the mixture that skips verification."""


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
    (lossy). Raises the same as :func:`proposer_names` and :func:`skipping`.
    """
    if name == "window":
        return window.WindowProposer(n, chains)
    made = {source: make_named(source, target) for source in proposer_names(name)}
    if skips is not None and target is not None:
        mixture = skipping()(made, skips, target, codec, price)
        assert isinstance(mixture, MixedProposer)
        return mixture
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
            kind, _, what = one.partition(":")
            if kind in plugins("proposers") and kind not in proposers and kind not in openers:
                load("proposers", kind)  # which registers it
            if one not in proposers and not (what and kind in openers):
                if what and kind in METHODS:
                    raise _not_installed(f"--proposer {one}")
                known = [*proposers, *(f"{kind}:NAME" for kind in openers)]
                raise UsageError(f"--proposer {name}: no proposer {one!r}; choose cursor, {', '.join(known)}")
            if sign == "-":
                found.pop(one, None)
            else:
                found[one] = None
    return list(found)


def skipping() -> Any:
    """The class of the mixture that skips verification, made of ``proposers, plan, target, codec, price``. Raises
    :class:`docspec.core.UsageError` if docspec-methods is not installed."""
    if SKIPPING not in plugins("proposers"):
        raise _not_installed(SKIPPING)
    return load("proposers", SKIPPING)


def _not_installed(what: str) -> UsageError:
    return UsageError(
        f"{what} needs docspec-methods, which is not installed: pip install ./methods in a clone of docspec"
    )
