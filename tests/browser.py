"""Chromium from the distribution's packages, started without a screen; tests are skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def needs_browser() -> None:
    """Skips the tests of the calling module where playwright or Chromium is missing."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if shutil.which("chromium") is None:
        pytest.skip("no Chromium on this machine", allow_module_level=True)


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser with a profile of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page of the browser that notes console messages, errors, dialogs and requests; files are its only source."""

    def __init__(self, browser: Any, file: Path, width: int = 1400, height: int = 900) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page = browser.new_page(viewport={"width": width, "height": height})
        self.page.set_default_timeout(60_000)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.address = file.absolute().as_uri()
        self.page.goto(self.address)

    def settled(self) -> None:
        """Raises where the page complained, or asked for anything but itself."""
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith("data:")] == [self.address]
