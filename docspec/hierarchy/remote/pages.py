"""Reads drafted pages with an engine behind the seam and makes their results.

A page that is read by regions requests all of its crops at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from docspec.core import ModelError, PageDraft, PageImage, PageResult, Region, StageStats
from docspec.drafting.drafted_page import DraftedPage
from docspec.engine.request import Output
from docspec.generation.interface import GenerationRequest
from docspec.hierarchy import results
from docspec.hierarchy.page_state import page_of
from docspec.hierarchy.readers import Readers
from docspec.hierarchy.regions.cutting import Cutting
from docspec.hierarchy.regions.pages import RegionPages
from docspec.hierarchy.regions.regions_read import RegionsRead
from docspec.hierarchy.remote.answers import TextOutput, ask
from docspec.hierarchy.remote.context import RemoteContext
from docspec.hierarchy.remote.whole import RemoteWhole


class RemoteReading:
    """Reads crops with an engine behind the seam (:class:`docspec.hierarchy.regions.protocol.Reads`)."""

    def __init__(self, context: RemoteContext) -> None:
        self._context = context
        self._cutting = Cutting(context.options, context.card, context.dialect, context.sight)

    def cut(self, page: PageImage, draft: PageDraft) -> RegionsRead:
        return self._cutting.cut(page, draft)

    def crops_of(self, page: PageImage, regions: Sequence[Region]) -> RegionsRead:
        return self._cutting.crops_of(page, regions)

    def read(self, pages: Sequence[RegionsRead], on_step: Any = None, plain: bool = False) -> None:
        """Requests the crops of ``pages``; ``plain``: without drafts."""
        for page in pages:
            requests = [replace(crop.request, drafts=()) if plain else crop.request for crop in page.crops]
            outputs, stats = ask(self._context, requests)
            page.outputs, page.stats = list(outputs), page.stats + stats

    def write(self, asked: Sequence[GenerationRequest]) -> list[tuple[Output, StageStats]]:
        found: list[tuple[Output, StageStats]] = []
        for one in asked:
            [output], stats = ask(self._context, [one])
            found.append((output, stats))
        return found

    def text_of(self, output: Output) -> str:
        assert isinstance(output, TextOutput)
        return output.text


class RemotePages:
    """Reads pages with one context. Threads may share it; each reads its own pages."""

    def __init__(self, context: RemoteContext) -> None:
        self.context = context
        regions = RegionPages(context, RemoteReading(context))
        self._readers = Readers(context, regions, RemoteWhole(context))

    def takes(self, page: PageImage) -> bool:
        return self._readers.regions.takes(page)

    def verify(self, drafted: DraftedPage) -> PageResult:
        """The result of a drafted page. Raises :class:`docspec.core.ModelError` if the engine can answer no more
        requests; any other error fails the page."""
        try:
            [result] = self._readers.read([drafted])
            return result
        except ModelError:
            raise
        except Exception as error:
            return results.failed(page_of(drafted), error)
