"""Drafters and verifiers that die: made in the child, where they (or what they put in the place of MuPDF) crash, hang
or eat memory.

Each is a factory that travels to the child by its name, as :func:`docspec.drafting.make_drafter` does. What befalls a
page goes by its number, so that one document meets all.
"""

from __future__ import annotations

import ctypes
import math
import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from docspec.core import BBox, Category, DrafterError, PageDraft, PageImage, Region
from docspec.documents.view import View
from docspec.drafting import SafeDrafter
from docspec.drafting.policy import Prices
from docspec.isolation.worker_handle import PrepareOptions

MOST = 3 * 2**30
"""Bytes that are eaten at most, where nobody stops it."""


def hang() -> None:
    """For an hour, in a native call that holds the interpreter, as MuPDF's do."""
    ctypes.PyDLL(None).sleep(3600)


def eat() -> None:
    eaten = [bytearray(os.urandom(2**20) * 32) for _ in range(MOST // 2**25)]
    raise AssertionError(f"{len(eaten)} pieces were eaten and nobody minded")


def run_short() -> None:
    raise MemoryError


FATES: Mapping[int, Callable[[], object]] = {
    2: os.abort,
    4: lambda: ctypes.memset(1, 0, 1),
    6: lambda: os._exit(7),
    8: eat,
    10: run_short,
}
"""What befalls pages by their number."""


class Double:
    """Drafts one word."""

    name = "double"

    def __init__(self, fates: Mapping[int, Callable[[], object]]) -> None:
        self._fates = fates

    def draft(self, page: PageImage) -> PageDraft:
        self._fates.get(page.number, lambda: None)()
        region = Region(BBox(1, 1, page.width - 1, page.height - 1), Category.TEXT, ("word",))
        return PageDraft((region,), self.name)


def sound(options: Any, policy: Any) -> SafeDrafter:
    return SafeDrafter(Double({}))


def ill_fated(options: Any, policy: Any) -> SafeDrafter:
    return SafeDrafter(Double(FATES))


def failing(options: Any, policy: Any) -> SafeDrafter:
    return SafeDrafter(Double({1: lambda: 1 // 0}))


def aborting(options: Any, policy: Any) -> SafeDrafter:
    return SafeDrafter(Double(dict.fromkeys(range(1, 10), os.abort)))


def hanging(options: Any, policy: Any) -> SafeDrafter:
    return SafeDrafter(Double({2: hang}))


def ill_fated_drawing(options: Any, policy: Any) -> SafeDrafter:
    """Puts abort and hunger into the drawing of pages 2 and 4."""
    return _drawing({2: os.abort, 4: eat})


def hanging_while_drawing(options: Any, policy: Any) -> SafeDrafter:
    return _drawing({2: hang})


def threaded(options: Any, policy: Any) -> SafeDrafter:
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    return SafeDrafter(Double({}))


def slow_to_load(options: Any, policy: Any) -> SafeDrafter:
    time.sleep(3600)
    return SafeDrafter(Double({}))


def refusing(options: Any, policy: Any) -> SafeDrafter:
    raise DrafterError("no models here")


def _drawing(fates: Mapping[int, Callable[[], object]]) -> SafeDrafter:
    from docspec.documents.pdf import PdfDocument

    honest = PdfDocument._load

    def load(self: Any, number: int, view: Any) -> PageImage:
        fates.get(number, lambda: None)()
        return honest(self, number, view)

    PdfDocument._load = load  # type: ignore[method-assign]
    return SafeDrafter(Double({}))


def wanted(dpi: float = 72, most: float = math.inf, regions: bool = False) -> PrepareOptions:
    """Small pages; a draft may take ``most`` seconds."""
    prices = Prices(1, 1, 1, 1, most)
    return PrepareOptions(View(dpi), None, lambda page: regions, lambda: prices, lambda kind, seconds: None)


class Unreadable:
    """Answers with what the parent cannot make anything of."""

    def __init__(self, place: object) -> None:
        pass

    def answer(self) -> object:
        return Trap()


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.listdir, ("/nowhere/at/all",)
