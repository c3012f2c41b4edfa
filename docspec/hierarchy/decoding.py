"""The engine as pages use it: its trees cost what the planner measured, and it stops where they do not pay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docspec.core import ParseOptions
from docspec.engine.decoder import Decoder
from docspec.generation.local import make_decoder
from docspec.hierarchy.planner import Planner

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel


def make_engine(target: TargetModel, options: ParseOptions, planner: Planner | None = None) -> Decoder:
    """A decoder of ``target``. The prices of tree nodes and plain steps are those that ``planner`` measured, if
    any."""
    if planner is None:
        return make_decoder(target, options)
    pace = planner.pacing() if options.stages == "auto" else None
    return make_decoder(target, options, planner.costs.node_price(), pace)
