"""The target on several devices, a process on each: the counterpart of :mod:`docspec.verifier` for ``--devices``.

If the target is loaded late, pages whose words are all known are done here; other pages start the processes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
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

VerifyPages = Callable[[Sequence[DraftedPage]], list[PageResult]]
VerifyUnknown = Callable[[Sequence[DraftedPage], VerifyPages], list[PageResult]]


class DevicesVerifier:
    """A :class:`docspec.page_stream.PagesVerifier` over processes in which ``make`` makes verifiers, started at first
    use; ``verify_unknown`` gives pages whose words are not all known to a function. Raises
    :class:`docspec.core.ModelError` where the model cannot be loaded on any device."""

    load_seconds = 0.0  # the processes load it

    def __init__(
        self,
        options: ParseOptions,
        devices: Sequence[str],
        make: VerifierMaker,
        observer: Observer,
        verify_unknown: VerifyUnknown,
    ) -> None:
        self._options = options
        self._devices = devices
        self._make = make
        self._observer = observer
        self._verify_unknown = verify_unknown
        self.pages_per_call = options.in_flight
        self._starting = threading.Lock()
        self._team: Team | None = None

    @property
    def team(self) -> Team:
        with self._starting:
            if self._team is None:
                self._team = Team(self._options, self._devices, self._make)
                for remark in (*self._team.lost, *self._team.info.remarks):
                    self._observer.note(remark)
            return self._team

    @property
    def threads(self) -> int:
        """One thread per process."""
        return len(self._devices)

    @property
    def is_loaded(self) -> bool:
        return self._team is not None

    @property
    def info(self) -> Any:
        return self.team.info

    @property
    def card(self) -> ModelProfile:
        from docspec.targets.registry import card_of

        return card_of(self._options)

    @property
    def step_report(self) -> Any:
        """The latest report on how steps are run."""
        return self._team.steps if self._team is not None else None

    def open(self) -> None:
        if not self._options.loads_late:
            self.team  # noqa: B018 - starts them

    def prepare_options(self, view: View, image_dpi: float | None, images: bool) -> PrepareOptions:
        """Drafting beside other processes' work always pays."""
        return PrepareOptions.complete(view, image_dpi)

    def verify(self, prepared: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of pages that were prepared; may be called from several threads."""
        if not self._options.loads_late:
            return self.team.verify(prepared)
        return self._verify_unknown(prepared, lambda others: self.team.verify(others))

    def report(self) -> None:
        """``None``: no other engine runs."""

    def close(self) -> None:
        """Ends the processes; the next page starts new ones."""
        team, self._team = self._team, None
        if team is not None:
            team.close()
