"""The target on several devices, a process on each: the counterpart of :mod:`docspec.verifier` for ``--devices``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from docspec.core import PageResult, ParseOptions
from docspec.core.observer import Observer
from docspec.documents.view import View
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.team import Team
from docspec.isolation.verifying import VerifierMaker
from docspec.isolation.worker_handle import PrepareOptions

if TYPE_CHECKING:
    from docspec.targets.model_profile import ModelProfile


class DevicesVerifier:
    """A :class:`docspec.page_stream.PagesVerifier` over processes in which ``make`` makes verifiers, started at first
    use. Raises :class:`docspec.core.ModelError` where the model cannot be loaded on any device."""

    load_seconds = 0.0  # others load

    def __init__(
        self, options: ParseOptions, devices: Sequence[str], make: VerifierMaker, observer: Observer
    ) -> None:
        self._options = options
        self._devices = devices
        self._make = make
        self._observer = observer
        self.pages_per_call = options.in_flight

    @cached_property
    def team(self) -> Team:
        """The processes."""
        team = Team(self._options, self._devices, self._make)
        for remark in (*team.lost, *team.info.remarks):
            self._observer.note(remark)
        return team

    @property
    def threads(self) -> int:
        """A process a thread."""
        return len(self._devices)

    @property
    def is_loaded(self) -> bool:
        """Whether the processes were started."""
        return "team" in self.__dict__

    @property
    def info(self) -> Any:
        """What the target is."""
        return self.team.info

    @property
    def card(self) -> ModelProfile:
        """How the target is asked, without loading it here."""
        from docspec.targets.registry import card_of

        return card_of(self._options)

    @property
    def step_report(self) -> Any:
        """How steps were last run."""
        return self.team.steps if self.is_loaded else None

    def open(self) -> None:
        """Starts the processes, once."""
        self.team  # noqa: B018 - starts them

    def prepare_options(self, view: View, image_dpi: float | None, images: bool) -> PrepareOptions:
        """Drafting beside other processes' work always pays."""
        return PrepareOptions.complete(view, image_dpi)

    def verify(self, prepared: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of pages that were prepared; may be called from several threads."""
        return self.team.verify(prepared)

    def report(self) -> None:
        """There is no other engine."""

    def close(self) -> None:
        """Ends the processes; the next page starts others."""
        if self.is_loaded:
            self.team.close()
            del self.team
