"""Reads drafted pages with an engine behind the seam and makes their results.

A page that is read by regions requests all of its crops at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from docspec.core import ModelError, PageResult, StageStats
from docspec.drafting.drafted_page import DraftedPage
from docspec.engine.request import Output
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy.page_state import failed, page_of
from docspec.hierarchy.readers import Readers
from docspec.hierarchy.regions.regions_read import CropReader, RegionsRead
from docspec.hierarchy.remote.answers import RemoteContext, TextOutput, ask
from docspec.hierarchy.remote.whole import read_whole


class RemoteReading(CropReader):
    """Reads crops with an engine behind the seam."""

    def __init__(self, context: RemoteContext) -> None:
        self._context = context

    def read(self, pages: Sequence[RegionsRead], on_step: Any = None, plain: bool = False) -> None:
        for page in pages:
            requests = [replace(crop.request, drafts=()) if plain else crop.request for crop in page.crops]
            outputs, stats = ask(self._context, requests)
            page.outputs, page.stats = list(outputs), page.stats + stats

    def write(self, asked: Sequence[GenerationRequest]) -> list[tuple[Output, StageStats]]:
        answers = [ask(self._context, [one]) for one in asked]
        return [(output, stats) for [output], stats in answers]

    def text_of(self, output: Output) -> str:
        assert isinstance(output, TextOutput)
        return output.text


class RemotePages(Readers):
    """Reads pages with one context. Threads may share it; each reads its own pages."""

    def __init__(self, context: RemoteContext) -> None:
        super().__init__(context, RemoteReading(context), partial(read_whole, context))

    def verify(self, drafted: DraftedPage) -> PageResult:
        """The result of a drafted page. Raises :class:`docspec.core.ModelError` if the engine can answer no more
        requests; any other error fails the page."""
        try:
            [result] = self.read([drafted])
            return result
        except ModelError:
            raise
        except Exception as error:
            return failed(page_of(drafted), error)
