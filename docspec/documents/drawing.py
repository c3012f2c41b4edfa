"""Draws a page of a PDF: records it once, and renders it as often and as large as needed."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from PIL import Image

from docspec.core import Failure, PageError
from docspec.core.safe_text import first_line
from docspec.documents.mupdf import mupdf
from docspec.documents.view import MAX_ASPECT, View, fit_scale

CLOCK_MONOTONIC = 1
WORD = 8  # bytes of a timer's count: the cookie's fields ``abort`` and ``progress``


class _Time(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Timer(ctypes.Structure):
    _fields_ = (("interval", _Time), ("value", _Time))


@contextmanager
def limited(seconds: float) -> Iterator[Any]:
    """An ``FzCookie`` for MuPDF's drawing inside the block; ``cookie.abort()`` says afterwards whether it was cut."""
    cookie = mupdf().mupdf.FzCookie()
    library = _library()
    timer = library.timerfd_create(CLOCK_MONOTONIC, 0) if library is not None else -1
    if library is None or timer < 0:
        yield cookie
        return
    place = ctypes.c_void_p(int(cookie.m_internal.this))
    _set(library, timer, seconds)
    waiter = threading.Thread(target=library.read, args=(timer, place, WORD), daemon=True)
    waiter.start()
    try:
        yield cookie
    finally:
        aborted = bool(cookie.abort())
        _set(library, timer, 1e-9)  # wakes the thread, which must be gone before the cookie is
        waiter.join()
        library.close(timer)
        if not aborted:
            ctypes.memset(place, 0, WORD // 2)


def _set(library: Any, timer: int, seconds: float) -> None:
    whole = int(seconds)
    value = _Time(whole, max(1, int((seconds - whole) * 1e9)))
    library.timerfd_settime(timer, 0, ctypes.byref(_Timer(_Time(0, 0), value)), None)


@cache
def _library() -> Any:
    if not sys.platform.startswith("linux") or sys.byteorder != "little":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "timerfd_create") else None


POINTS_PER_INCH = 72.0
MAX_SECONDS = 30.0
"""Limit of drawing one page; ordinary pages take a tenth of a second, the densest maps five."""
SKETCH, MOST_SHARE = 1200, 0.5
"""Pixels of a sketch along its longer side, and its share of the page's size at most."""
LEAST_SKETCHED = 1000
"""Least pixels along the longer side of a page for which a sketch pays."""
LONG_TO_SKETCH = 2.0  # seconds
LEAST_DPI = 5.0
"""Dots per inch below which letters are no longer seen: those of a page with sides of 25 m at 25 megapixels. PDF 1.7
allows 5 m."""


class Drawing:
    """The recorded drawing of a ``pymupdf.Page``, with annotations and form fields, at ``dpi`` or less if it would be
    too large; it can be rendered at any time, also after the page is gone.

    ``scale`` is in pixels per point, ``size`` in pixels, and ``trouble`` says why it was not drawn to its end within
    :data:`MAX_SECONDS`. MuPDF's errors are raised; a page whose letters would be smaller than a pixel raises
    :class:`docspec.core.PageError`.
    """

    def __init__(self, page: Any, dpi: float, max_pixels: int | None = None) -> None:
        low = mupdf().mupdf
        self.trouble: str | None = None
        self.scale = fit_scale(page.rect.width, page.rect.height, dpi / POINTS_PER_INCH, max_pixels)
        if self.scale * POINTS_PER_INCH < min(dpi, LEAST_DPI):
            size = f"{page.rect.width:,.0f} x {page.rect.height:,.0f} pt"
            raise PageError(f"the page says that it is {size}, too large to be shown with letters", Failure.TOO_LARGE)
        self._bounds = low.fz_bound_page(page.this)
        self._list = low.fz_new_display_list(self._bounds)
        recorder = low.fz_new_list_device(self._list)
        with limited(MAX_SECONDS) as cookie:
            try:
                low.fz_run_page(page.this, recorder, low.FzMatrix(), cookie)
                low.fz_close_device(recorder)
            except Exception as error:  # what was drawn until then is kept
                self.trouble = f"drawing it broke off ({first_line(error)})"
            self._cut = self._stopped(cookie)
        box = self._box(self.scale)
        self.size = box.x1 - box.x0, box.y1 - box.y0

    def pixels(self, share: float = 1.0) -> Image.Image:
        """The page in RGB, at that ``share`` of its size."""
        low, scale = mupdf().mupdf, share * self.scale
        pixels = low.fz_new_pixmap_with_bbox(low.fz_device_rgb(), self._box(scale), low.FzSeparations(), 0)
        low.fz_clear_pixmap_with_value(pixels, 0xFF)
        device = low.fz_new_draw_device(low.FzMatrix(scale, 0, 0, scale, 0, 0), pixels)
        with limited(MAX_SECONDS) as cookie:
            everywhere = low.FzRect(low.FzRect.Fixed_INFINITE)
            if not self._cut:
                low.fz_run_display_list(self._list, device, low.FzMatrix(), everywhere, cookie)
            if not self._stopped(cookie):
                low.fz_close_device(device)
        picture = mupdf().Pixmap("raw", pixels)
        return Image.frombytes("RGB", (picture.width, picture.height), picture.samples_mv)

    def _box(self, scale: float) -> Any:
        low = mupdf().mupdf
        return low.fz_round_rect(low.fz_transform_rect(self._bounds, low.FzMatrix(scale, 0, 0, scale, 0, 0)))

    def _stopped(self, cookie: Any) -> bool:
        if cookie.abort():
            self.trouble = f"drawing it was stopped after {MAX_SECONDS:g} seconds"
        return bool(cookie.abort())


def pictures_of(drawing: Drawing, view: View) -> tuple[Image.Image, Image.Image | None]:
    """The page as ``view`` asks, and a sketch if it is drawn later. A page that is small or takes long is drawn at
    once, so that its faults become events of the page."""
    short, long = sorted(drawing.size)
    if not view.sketched or drawing.trouble or not LEAST_SKETCHED <= long <= MAX_ASPECT * short:
        return drawing.pixels(), None
    start = time.perf_counter()
    sketch = drawing.pixels(min(MOST_SHARE, SKETCH / long))
    if time.perf_counter() - start > LONG_TO_SKETCH:
        return drawing.pixels(), None
    return Undrawn(drawing.size, drawing.pixels), sketch


class Undrawn(Image.Image):
    """An RGB picture of ``size`` pixels that ``draw`` makes at the first use; it then becomes that picture, as Pillow's
    own ``StubImageFile`` becomes its file's. Without ``draw`` its pixels must not be used."""

    is_drawn = False

    def __init__(self, size: tuple[int, int], draw: Callable[[], Image.Image] | None = None) -> None:
        super().__init__()
        self._mode, self._size, self._draw = "RGB", size, draw

    def load(self) -> Any:
        if self._draw is None:
            raise ValueError("the pixels of this page were not asked for")
        drawn = self._draw()
        self.__class__, self.__dict__ = drawn.__class__, drawn.__dict__  # type: ignore[assignment]
        return self.load()
