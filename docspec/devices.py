"""The target on several devices, a process on each: the counterpart of :mod:`docspec.verifier` for ``--devices``.

If the target is loaded late, pages whose words are all known are done here; other pages start the processes.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from docspec.core import PageResult, ParseOptions
from docspec.core.observer import Observer
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.team import Team
from docspec.isolation.verifying import VerifierMaker
from docspec.page_stream import PagesVerifier

if TYPE_CHECKING:
    from docspec.targets.model_profile import ModelProfile


class DevicesVerifier(PagesVerifier):
    """Verifies pages in processes in which ``make`` makes verifiers, started at first use. Raises
    :class:`docspec.core.ModelError` where the model cannot be loaded on any device."""

    def __init__(self, options: ParseOptions, devices: Sequence[str], make: VerifierMaker, observer: Observer) -> None:
        super().__init__(options, observer, options.in_flight, threads=len(devices))
        self._devices = devices
        self._make = make
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
    def is_loaded(self) -> bool:
        return self._team is not None

    @property
    def info(self) -> Any:
        return self.team.info

    @cached_property
    def card(self) -> ModelProfile:
        from docspec.targets.registry import card_of

        return card_of(self._options)

    @property
    def step_report(self) -> Any:
        return self._team.steps if self._team is not None else None

    def open(self) -> None:
        if not self._options.loads_late:
            self.team  # noqa: B018 - starts them

    def verify(self, prepared: Sequence[DraftedPage]) -> list[PageResult]:
        if not self._options.loads_late:
            return self.team.verify(prepared)
        from docspec.hierarchy.regions.known_pages import results_of

        return results_of(prepared, self.card, lambda others: self.team.verify(others))

    def close(self) -> None:
        """Ends the processes; the next page starts new ones."""
        team, self._team = self._team, None
        if team is not None:
            team.close()
