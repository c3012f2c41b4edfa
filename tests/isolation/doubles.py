"""Drafters that die: made in the child, where they (or what they put in the place of MuPDF) crash, hang or eat memory.

Each is a factory that travels to the child by its name, as :func:`docspec.drafting.make_drafter` does. What goes wrong
goes wrong on page 2, or on every page of a file whose name says so.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any

from docspec.core import BBox, Category, PageDraft, PageImage, Region
from docspec.drafting import SafeDrafter

MOST = 3 * 2**30
"""Bytes that are eaten at most, where nobody stops it."""


class Double:
    """Drafts one word; ``fate`` is what befalls it on page 2."""

    name = "double"

    def __init__(self, fate: Callable[[], object] = lambda: None) -> None:
        self._fate = fate

    def draft(self, page: PageImage) -> PageDraft:
        if page.number == 2 or "always" in page.source:
            self._fate()
        region = Region(BBox(1, 1, page.width - 1, page.height - 1), Category.TEXT, ("word",))
        return PageDraft((region,), self.name)


def hang() -> None:
    """For an hour, in a native call that holds the interpreter, as MuPDF's do."""
    ctypes.PyDLL(None).sleep(3600)


def eat() -> None:
    eaten = [bytearray(os.urandom(2**20) * 32) for _ in range(MOST // 2**25)]
    raise AssertionError(f"{len(eaten)} pieces were eaten and nobody minded")


def run_short() -> None:
    raise MemoryError


def sound(options: Any, economy: Any) -> SafeDrafter:
    return SafeDrafter(Double())


def failing(options: Any, economy: Any) -> SafeDrafter:
    return SafeDrafter(Double(lambda: 1 // 0))


def aborting(options: Any, economy: Any) -> SafeDrafter:
    return SafeDrafter(Double(os.abort))


def faulting(options: Any, economy: Any) -> SafeDrafter:
    return SafeDrafter(Double(lambda: ctypes.memset(1, 0, 1)))


def leaving(options: Any, economy: Any) -> SafeDrafter:
    return SafeDrafter(Double(lambda: os._exit(7)))


def hanging(options: Any, economy: Any) -> SafeDrafter:
    return SafeDrafter(Double(hang))


def eating(options: Any, economy: Any) -> SafeDrafter:
    return SafeDrafter(Double(eat))


def running_short(options: Any, economy: Any) -> SafeDrafter:
    return SafeDrafter(Double(run_short))


def aborting_while_drawing(options: Any, economy: Any) -> SafeDrafter:
    return _drawing(os.abort)


def hanging_while_drawing(options: Any, economy: Any) -> SafeDrafter:
    return _drawing(hang)


def eating_while_drawing(options: Any, economy: Any) -> SafeDrafter:
    return _drawing(eat)


def _drawing(fate: Callable[[], object]) -> SafeDrafter:
    """Puts ``fate`` into the drawing of page 2."""
    from docspec.documents.pdf import PdfDocument

    honest = PdfDocument._load

    def load(self: Any, number: int, view: Any) -> PageImage:
        if number == 2:
            fate()
        return honest(self, number, view)

    PdfDocument._load = load  # type: ignore[method-assign]
    return SafeDrafter(Double())
