"""Search and selection in pdf.js, run in Chromium: what a reader of a searchable PDF does with it.

The viewer is that of the npm package ``pdfjs-dist``. Its own search marks what it finds; a word counts as found where a
mark lies on the place that is known of it. Selection goes by the mouse, from the first to the last word of a line.
``python -m benchmarks browser`` writes searchable PDFs and looks at them.
"""

from __future__ import annotations

import mimetypes
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docspec.core import BBox, PageResult, ParseOptions
from docspec.corpus.child_pdf import SearchablePdf
from docspec.documents import Source
from docspec.parser import Parser
from docspec.reporting.placed_lines import lines_of

ORIGIN = "http://viewer.invalid"
"""Where the browser believes the files to be; all its requests are answered from this machine's disk."""

SECONDS = 60.0

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

PAGE = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/pdfjs/legacy/web/pdf_viewer.css">
<style>body { margin: 0 } #box { position: absolute; inset: 0; overflow: auto }</style>
<div id="box"><div id="viewer" class="pdfViewer"></div></div>
<script type="module">
import * as pdfjs from "/pdfjs/legacy/build/pdf.mjs"
globalThis.pdfjsLib = pdfjs
const view = await import("/pdfjs/legacy/web/pdf_viewer.mjs")
pdfjs.GlobalWorkerOptions.workerSrc = "/pdfjs/legacy/build/pdf.worker.mjs"
const bus = new view.EventBus(), link = new view.PDFLinkService({ eventBus: bus })
const find = new view.PDFFindController({ linkService: link, eventBus: bus })
const viewer = new view.PDFViewer({ container: document.getElementById("box"), eventBus: bus, linkService: link,
                                    findController: find })
link.setViewer(viewer)
globalThis.shown = async number => {
  viewer.currentPageNumber = number
  const page = document.querySelector(`.page[data-page-number="${number}"]`)
  page.scrollIntoView()
  for (let n = 0; n < 400; n++) {
    if (page.querySelector(".textLayer .endOfContent")) return true
    await new Promise(done => setTimeout(done, 25))
  }
  return false
}
globalThis.marks = async (text, number) => {
  const told = new Promise(done => bus._on("updatefindcontrolstate", event => event.state === 3 || done(), {}))
  bus.dispatch("find", { source: null, type: "", query: text, caseSensitive: false, entireWord: false,
                         highlightAll: true, findPrevious: false, matchDiacritics: true })
  await Promise.race([told, new Promise(done => setTimeout(done, 4000))])
  await new Promise(done => setTimeout(done, 60))
  const page = document.querySelector(`.page[data-page-number="${number}"]`)
  const own = page.querySelector(".canvasWrapper").getBoundingClientRect()
  return [...page.querySelectorAll(".textLayer .highlight")].map(mark => mark.getBoundingClientRect()).map(
    box => [(box.left - own.left) / own.width, (box.top - own.top) / own.height,
            (box.right - own.left) / own.width, (box.bottom - own.top) / own.height])
}
globalThis.place = number => {
  const box = document.querySelector(`.page[data-page-number="${number}"] .canvasWrapper`).getBoundingClientRect()
  return [box.left, box.top, box.width, box.height]
}
globalThis.reach = (number, y) => {
  const [, top, , height] = place(number)
  document.getElementById("box").scrollTop += top + y * height - 600
}
const pdf = await pdfjs.getDocument({ url: "/file.pdf", cMapUrl: "/pdfjs/cmaps/", cMapPacked: true,
                                      standardFontDataUrl: "/pdfjs/standard_fonts/", wasmUrl: "/pdfjs/wasm/" }).promise
viewer.setDocument(pdf)
link.setDocument(pdf, null)
await new Promise(done => bus._on("pagesloaded", done))
viewer.currentScaleValue = "page-width"
globalThis.ready = true
</script>"""


@dataclass(frozen=True, slots=True)
class Looked:
    """Words that were searched, those that were found at their places, lines that were selected, and those whose words
    were copied so."""

    words: int = 0
    found: int = 0
    lines: int = 0
    copied: int = 0
    missing: tuple[str, ...] = ()


def package_of(named: Path | None = None) -> Path | None:
    """The folder of ``pdfjs-dist``: ``named``, or in a folder that ``NODE_PATH`` names, or in ``node_modules`` of this
    folder or one above; ``None`` without."""
    if named is not None:
        return named if named.is_dir() else None
    paths = (Path(folder) for folder in os.environ.get("NODE_PATH", "").split(os.pathsep) if folder)
    above = (folder / "node_modules" for folder in Path(__file__).resolve().parents)
    return next((one / "pdfjs-dist" for one in (*paths, *above) if (one / "pdfjs-dist").is_dir()), None)


def measure(sources: Sequence[Source], options: ParseOptions, window: Any) -> Iterator[tuple[str, int, Looked]]:
    """The name of each source, the numbers of its pages, and what is found and copied there in the searchable PDF that
    is made as ``options`` say; ``window`` is the :func:`viewer`."""
    with Parser(options, images=False) as parser, tempfile.TemporaryDirectory() as folder:
        for number, source in enumerate(sources):
            path = Path(folder, f"{number}.pdf")
            with SearchablePdf(path, source, options) as writer:
                pages = list(parser.pages(source))
                for page in pages:
                    writer.add(page)
            opened(window, path.read_bytes())
            for page in pages:
                yield source.name, page.number, looked(window, page.number, shares_of(page))


def shares_of(page: PageResult) -> list[list[tuple[str, BBox]]]:
    """The lines of words of ``page``, with their boxes as shares (0..1) of its size."""
    return [
        [
            (one.word.text, BBox(box.x0 / page.width, box.y0 / page.height, box.x1 / page.width, box.y1 / page.height))
            for one in line
            for box in (one.bbox,)
        ]
        for block in page.blocks
        for line in lines_of(block)
    ]


@contextmanager
def viewer(package: Path) -> Iterator[Any]:
    """A window with pdf.js from the folder ``package`` (``node_modules/pdfjs-dist``). Raises ``OSError`` without a
    browser."""
    import shutil

    from playwright.sync_api import sync_playwright

    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        raise OSError("Chromium is not installed")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        try:
            window = browser.new_page(viewport={"width": 1400, "height": 1200})
            window.set_default_timeout(1000 * SECONDS)
            window.route("**/*", lambda route: _answer(route, package))
            yield window
        finally:
            browser.close()


def opened(window: Any, pdf: bytes) -> None:
    """Shows ``pdf``."""
    window.pdf = pdf
    window.goto(f"{ORIGIN}/viewer.html")
    window.wait_for_function("globalThis.ready === true")


def looked(window: Any, page: int, lines: Sequence[Sequence[tuple[str, BBox]]], most: int = 12) -> Looked:
    """What search and selection find of the ``lines`` of words on ``page``, whose boxes are shares (0..1) of its size:
    of ``most`` long words and as many lines, spread over the page."""
    assert window.evaluate(f"shown({page})"), "the viewer shows no text of this page"
    words = [(text, box) for line in lines for text, box in line if len(text) > 3 and text.isalnum()]
    searched = words[:: max(1, len(words) // most)][:most]
    missing = [text for text, box in searched if not _is_marked(window, page, text, box)]
    window.evaluate("marks('', 1)")
    selected = [line for line in lines if len(line) > 2]
    selected = selected[:: max(1, len(selected) // most)][:most]
    copied = sum(_selected(window, page, line) == [text for text, _ in line] for line in selected)
    return Looked(len(searched), len(searched) - len(missing), len(selected), copied, tuple(missing))


def _is_marked(window: Any, page: int, text: str, box: BBox) -> bool:
    marks = window.evaluate("([text, page]) => marks(text, page)", [text, page])
    return any(BBox(*mark).intersection(box) is not None and _lies_on(BBox(*mark), box) for mark in marks)


def _lies_on(mark: BBox, box: BBox) -> bool:
    """Whether the middle of the word is marked, and not much beside it."""
    inside = mark.x0 <= box.center_x <= mark.x1 and mark.y0 <= box.center_y <= mark.y1
    return inside and mark.width < 1.6 * box.width + 0.01


def _selected(window: Any, page: int, line: Sequence[tuple[str, BBox]]) -> list[str]:
    """The words that are selected by dragging from the first to the last word of ``line``: from within their outer
    letters. Chromium cuts off the fraction of where the button went down, and a drag that begins beside all text
    selects nothing."""
    (first_text, first), (last_text, last) = line[0], line[-1]
    start, end = first.x0 + first.width / len(first_text) / 4, last.x1 - last.width / len(last_text) / 4
    window.evaluate("([page, y]) => reach(page, y)", [page, first.center_y])
    x, y, width, height = window.evaluate(f"place({page})")
    window.evaluate("getSelection().removeAllRanges()")
    window.mouse.move(x + start * width, y + first.center_y * height)
    window.mouse.down()
    window.mouse.move(x + end * width, y + last.center_y * height, steps=4)
    window.mouse.up()
    return str(window.evaluate("String(getSelection())")).split()


def _answer(route: Any, package: Path) -> None:
    path = route.request.url.removeprefix(ORIGIN)
    if path == "/viewer.html":
        route.fulfill(body=PAGE, content_type="text/html")
    elif path == "/file.pdf":
        route.fulfill(body=route.request.frame.page.pdf, content_type="application/pdf")
    elif path.startswith("/pdfjs/") and (file := package / path.removeprefix("/pdfjs/")).is_file():
        kind = "text/javascript" if file.suffix == ".mjs" else mimetypes.guess_type(file.name)[0]
        route.fulfill(path=file, content_type=kind or "application/octet-stream")
    else:
        route.abort()
