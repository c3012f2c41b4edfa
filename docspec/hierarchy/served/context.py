"""What pages are read with where an engine on the other side of the seam reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from docspec.core import ParseOptions
from docspec.core.observer import Observer
from docspec.dialects import Dialect
from docspec.generation.interface import Generator
from docspec.hierarchy.page_state import PageState
from docspec.targets.model_profile import ModelProfile
from docspec.targets.sight import PublishedSight


@dataclass(frozen=True, slots=True, eq=False)
class ServedContext:
    """One engine, how its model is spoken to, and one set of options (a
    :class:`docspec.hierarchy.regions.protocol.RegionsContext`)."""

    generator: Generator
    card: ModelProfile
    dialect: Dialect
    sight: PublishedSight
    max_length: int
    options: ParseOptions
    observer: Observer
    template_arguments: Mapping[str, Any] = field(default_factory=dict)
    image_marks: str = ""

    @property
    def guards(self) -> bool:
        """Whether answers are cut where they only repeat themselves."""
        return self.options.on_loop != "keep"

    def progress(self, states: Sequence[PageState], stage: str) -> Callable[[Any], None]:
        """Tells nobody: pages are read in threads of their own, and an observer hears of finished ones."""
        return lambda rows: None
