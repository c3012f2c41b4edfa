"""The context for pages that an engine behind the seam reads."""

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
class RemoteContext:
    """One engine, its model's card and dialect, and one set of options (a
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
        """Reports nothing: pages are read in threads, and the observer hears of finished pages only."""
        return lambda rows: None
