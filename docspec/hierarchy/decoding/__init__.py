"""Assembles the engine with its proposers and the planner's measurements; these do not know of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docspec.core import ParseOptions
from docspec.engine.proposer import TreeProposer
from docspec.hierarchy.decoding.engine import Engine
from docspec.hierarchy.planner import Planner
from docspec.proposing.registry import make_proposer, open_named

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel


def make_engine(target: TargetModel, options: ParseOptions, planner: Planner | None = None) -> Engine:
    """An engine for ``target``. The prices of tree nodes and plain steps are those that ``planner`` measured, if
    any."""
    from docspec.targets.threads import measure_threads

    measure_threads(target)  # here, so that no page pays for it
    open_named(options.align, target)
    price = planner.costs.node_price() if planner is not None else 0.0
    pace = planner.pacing() if planner is not None and options.stages == "auto" else None

    def proposer() -> TreeProposer:
        return make_proposer(options.align, target, price, options.window, target, skips=options.skips)

    return Engine(target, options, proposer, pace)
