"""The calls that a verifying process serves: it has the model on one device; other processes prepare the pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from docspec.core import PageResult, ParseOptions
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.shared_pixels import PixelsHandle
from docspec.process import silence


class PageVerifier(Protocol):
    """Verifies pages; :class:`docspec.Parser` is one."""

    @property
    def target_info(self) -> Any: ...

    @property
    def step_report(self) -> Any: ...

    def verify(self, prepared: Sequence[DraftedPage]) -> list[PageResult]: ...


VerifierMaker = Callable[[ParseOptions], PageVerifier]
"""Makes a verifier in its process; it is pickled by its name."""


class VerifyingWorker:
    """The worker of a verifying child; it holds one verifier."""

    def __init__(self, handle: PixelsHandle) -> None:
        self._verifier: PageVerifier | None = None

    def load(self, make: VerifierMaker, options: ParseOptions, sharing: int, quiet: bool) -> Any:
        """Loads the model and returns its description. ``sharing`` processes share the machine's processors."""
        if quiet:
            silence()
        self._verifier = make(options)
        if sharing > 1:
            import torch

            torch.set_num_threads(max(1, torch.get_num_threads() // sharing))
        return self._verifier.target_info

    def verify(self, pages: Sequence[DraftedPage]) -> tuple[list[tuple[PageResult, bool]], Any]:
        """The results of ``pages``, each without its image and with whether it has one, and how steps are run."""
        assert self._verifier is not None
        results = self._verifier.verify(pages)
        bare = [(replace(result, image=None), result.image is not None) for result in results]
        return bare, self._verifier.step_report
