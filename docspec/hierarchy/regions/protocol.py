"""What reading by regions needs of an engine and of whoever set it up: implemented for the engine in this process
(:mod:`.reading`) and for those on the other side of the seam (:mod:`docspec.hierarchy.served`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from docspec.core import PageDraft, PageImage, ParseOptions, Region, StageStats
from docspec.core.observer import Observer
from docspec.dialects import Dialect
from docspec.engine.request import Output
from docspec.generation.interface import GenerationRequest
from docspec.targets.model_profile import ModelProfile
from docspec.targets.sight import Sight

if TYPE_CHECKING:
    from docspec.hierarchy.page_state import PageState
    from docspec.hierarchy.regions.regions_read import RegionsRead


class RegionsContext(Protocol):
    """What pages are read with: how the model is spoken to, what it sees, and what was asked for. ``max_length`` are
    the tokens that prompt and answer may have together."""

    @property
    def options(self) -> ParseOptions: ...

    @property
    def card(self) -> ModelProfile: ...

    @property
    def dialect(self) -> Dialect: ...

    @property
    def observer(self) -> Observer: ...

    @property
    def sight(self) -> Sight: ...

    @property
    def max_length(self) -> int: ...

    def progress(self, states: Sequence[PageState], stage: str) -> Callable[[Any], None]:
        """Tells that ``stage`` begins for ``states``; what is returned is told how far it is."""
        ...


class Reads(Protocol):
    """An engine as reading by regions uses it."""

    def cut(self, page: PageImage, draft: PageDraft) -> RegionsRead:
        """The regions of a page, those that the draft forgot included, and their crops, ready to be read."""
        ...

    def crops_of(self, page: PageImage, regions: Sequence[Region]) -> RegionsRead:
        """The crops of ``regions`` of a page."""
        ...

    def read(self, pages: Sequence[RegionsRead], on_step: Any = None, plain: bool = False) -> None:
        """Reads the crops of ``pages``, as many side by side as the engine takes, and adds to each page what was
        written; ``plain``: without drafts."""
        ...

    def write(self, asked: Sequence[GenerationRequest]) -> list[tuple[Output, StageStats]]:
        """The answers to other requests, side by side."""
        ...

    def text_of(self, output: Output) -> str:
        """What was written, as text."""
        ...
