"""``python -m benchmarks view-picture``: the picture of the page view in the README, from a sample page."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from docspec.core import DocspecError, UsageError

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH, HEIGHT = 1280, 800
QUALITY = 70
"""Of WebP (0..100): print stays sharp, and the picture has less than 120 kB."""

SECONDS = 300.0


def view_picture(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="A PDF or an image; its first page is shown.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE.webp", help="The picture.")],
    point: Annotated[str, typer.Option(metavar="WORD", help="Point at this word of the text.")] = "",
) -> int:
    """Read a page, open its --view in Chromium without a screen, and keep what the window shows as WebP."""
    from docspec.console.terminal import say

    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise UsageError("the picture needs Chromium, which is not installed: apt install chromium")
    with TemporaryDirectory() as made:
        view, shot = Path(made) / "view.html", Path(made) / "view.png"
        parse = [sys.executable, "-m", "docspec", "parse", str(source), "--pages", "1", "--offline", "-q"]
        done = subprocess.run(
            [*parse, "-o", f"{made}/page.md", "--view", str(view)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
        if done.returncode:
            raise DocspecError(f"docspec parse failed ({done.stderr.strip()[-300:]})")
        _photograph(browser, view, shot, point)
        _keep(shot, output)
    say(f"{output} written, {output.stat().st_size:,} bytes")
    return 0


def _photograph(browser: str, view: Path, shot: Path, point: str) -> None:
    """Keeps what a window shows once the picture of the page is decoded: ``chromium --screenshot`` does not wait for
    pictures that scripts insert."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise UsageError("the picture needs playwright, which is not installed: pip install playwright") from None
    try:
        with sync_playwright() as driver:
            window = driver.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
            page = window.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.set_default_timeout(1000 * SECONDS)
            page.goto(view.as_uri())
            page.locator(".paper img").first.evaluate("image => image.decode()")
            if point:
                page.locator(".text [data-place]", has_text=point).first.hover()
            page.screenshot(path=str(shot))
            window.close()
    except Error as error:
        raise DocspecError(f"Chromium has taken no picture ({error})") from error


def _keep(shot: Path, output: Path) -> None:
    from PIL import Image

    with Image.open(shot) as image:
        image.convert("RGB").save(output, "WEBP", quality=QUALITY, method=6)
