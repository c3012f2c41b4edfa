"""Alignment policies by name: the cursor (default) and the paper's window."""

from __future__ import annotations

from collections.abc import Sequence

from docspec.core import ParseOptions
from docspec.core.scaffold import Scaffold
from docspec.speculation.alignment import Draft
from docspec.speculation.cursor import CursorProposer
from docspec.speculation.proposer import Proposer, WindowProposer
from docspec.speculation.spelling import Codec


def make_proposer(
    drafts: Sequence[Draft],
    options: ParseOptions,
    codec: Codec | None = None,
    price: float = 0.0,
    scaffold: Scaffold | None = None,
    growing: Sequence[int] = (),
) -> Proposer:
    """The proposer that ``options.align`` names, over ``drafts`` (token sequences in reading order).

    ``codec`` turns tokens into text and back; with it the cursor also bridges differences of spelling. ``price`` is
    what one more node of a tree costs, as a share of a one-token step.
    ``scaffold`` foretells what the page's format, not its text, says. ``growing`` is the most tokens of each draft that
    is written while the row is decoded.
    """
    if options.align == "window":
        return WindowProposer(drafts, options.window, len(growing))
    return CursorProposer(drafts, codec, price, scaffold, growing)
