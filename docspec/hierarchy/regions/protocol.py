"""The engine and the context as reading by regions needs them: implemented for the engine in this process
(:mod:`.reading`) and for engines behind the seam (:mod:`docspec.hierarchy.remote`)."""

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
    """The context that pages are read with: prompts, image sizes and options. ``max_length`` is the most tokens of
    prompt and answer together."""

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
        """Reports that ``stage`` begins for ``states``; returns a callback for its progress."""
        ...


class Reads(Protocol):
    """An engine that reads crops."""

    def cut(self, page: PageImage, draft: PageDraft) -> RegionsRead:
        """The regions of a page, including those that the draft missed, and their crops, ready to be read."""
        ...

    def crops_of(self, page: PageImage, regions: Sequence[Region]) -> RegionsRead:
        """The crops of ``regions`` of a page."""
        ...

    def read(self, pages: Sequence[RegionsRead], on_step: Any = None, plain: bool = False) -> None:
        """Reads the crops of ``pages``, as many at a time as the engine takes, and adds the outputs to each page;
        ``plain``: without drafts."""
        ...

    def write(self, asked: Sequence[GenerationRequest]) -> list[tuple[Output, StageStats]]:
        """The answers to other requests, decoded together."""
        ...

    def text_of(self, output: Output) -> str:
        """The text of an output."""
        ...
