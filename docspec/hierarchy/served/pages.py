"""Drafted pages through an engine on the other side of the seam, each from its draft to its result."""

from __future__ import annotations

from docspec.core import ModelError, PageImage, PageResult
from docspec.drafting.drafted_page import DraftedPage
from docspec.hierarchy import results
from docspec.hierarchy.page_state import page_of
from docspec.hierarchy.readers import Readers
from docspec.hierarchy.regions.pages import RegionPages
from docspec.hierarchy.served.context import ServedContext
from docspec.hierarchy.served.reading import ServedReading
from docspec.hierarchy.served.whole import ServedWhole


class ServedPages:
    """Reads pages with one context. Threads may share it: each reads pages of its own."""

    def __init__(self, context: ServedContext) -> None:
        self.context = context
        regions = RegionPages(context, ServedReading(context))
        self._readers = Readers(context, regions, ServedWhole(context))

    def takes(self, page: PageImage) -> bool:
        return self._readers.regions.takes(page)

    def verify(self, drafted: DraftedPage) -> PageResult:
        """The result of a drafted page. Raises :class:`docspec.core.ModelError` where the engine can answer nothing any
        more; whatever else goes wrong is the page's."""
        try:
            [result] = self._readers.read([drafted])
            return result
        except ModelError:
            raise
        except Exception as error:
            return results.failed(page_of(drafted), error)
