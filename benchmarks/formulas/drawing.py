"""Draws formulas in LaTeX with KaTeX in a browser without a window: a page of a PDF each.

A PDF tells each sign with its size and place, so that two drawings are compared by signs and not by pixels.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pymupdf

_PAGE = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="%(katex)s/katex.min.css">
<script src="%(katex)s/katex.min.js"></script>
<style>@page{size:2400px 900px;margin:20px}body{margin:0;font-size:20px}div{break-after:page}
.katex-display{text-align:left!important;margin:0!important}.katex-display>.katex{text-align:left!important}</style><body><script>
for (const latex of %(formulas)s) {
  const div = document.body.appendChild(document.createElement("div"));
  try { katex.render(latex, div, {displayMode: true, output: "html", throwOnError: true, strict: "ignore"}); }
  catch (error) { div.textContent = "%(failed)s"; }
}
</script>"""
FAILED = "KaTeX cannot read it"


def draw(formulas: Sequence[str], katex: Path, file: Path) -> list[bool]:
    """Draws ``formulas`` into the PDF ``file``, a page each, with the ``dist`` folder of npm's katex; whether each
    could be read. Raises as :func:`print_page` does."""
    values = {"katex": katex.resolve().as_uri(), "formulas": json.dumps(list(formulas)).replace("<", "\\u003c")}
    print_page(_PAGE % (values | {"failed": FAILED}), file)
    with pymupdf.open(file) as pdf:
        return [FAILED not in page.get_text() for page in pdf][: len(formulas)]


def print_page(html: str, file: Path) -> None:
    """Prints ``html`` into the PDF ``file``. Raises ``OSError`` where there is no Chromium,
    ``subprocess.SubprocessError`` where it fails."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise FileNotFoundError("no Chromium is installed")
    with tempfile.TemporaryDirectory() as work:
        page = Path(work) / "page.html"
        page.write_text(html, encoding="utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={work}/profile",
                   "--allow-file-access-from-files", "--virtual-time-budget=20000", "--no-pdf-header-footer",
                   f"--print-to-pdf={file}", page.as_uri()]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=600)
