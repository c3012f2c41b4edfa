"""A stand-in and a gateway before it, for tests that leave both as they were."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest
from PIL import Image, ImageDraw

from tests.serve.processes import Served, gateway, stand_in
from tests.serve.site import Site


@pytest.fixture(scope="package")
def upstream() -> Iterator[Served]:
    with stand_in() as served:
        yield served


@pytest.fixture(scope="package")
def served(upstream: Served) -> Iterator[Served]:
    with gateway("--upstream", upstream.url, "--recognise", "never") as found:
        yield found


def printed(*lines: str, size: tuple[int, int] = (640, 160)) -> Image.Image:
    """An image with lines of print."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((12, 12 + 40 * number), line, fill="black", font_size=28)
    return image


@pytest.fixture
def site() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Site)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    Site.asked.clear()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
