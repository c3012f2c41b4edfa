"""The page view: one self-contained HTML file that shows pages beside their text, linked both ways.

It is written like any other format, page by page: the text as static HTML, and behind it the page's image, boxes and
status as JSON that the script reads when the page comes near. Nothing is loaded from elsewhere; a content security
policy allows this file's own script and style by their hashes and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from html import escape
from importlib import resources
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from docspec.core import Block, Category, Event, LeftOut, PageResult, Span
from docspec.core.account import SAID, STATES, PageAccount
from docspec.core.places import HOWS
from docspec.core.result import STRUCTURE_DOUBTFUL, WORDS_MISSING
from docspec.core.safe_text import dump_json
from docspec.reporting.figures import crop
from docspec.reporting.htmlblocks import BlockHtml
from docspec.reporting.renderer import Renderer
from docspec.reporting.view.marking import is_shown, marked
from docspec.reporting.view.speed import PageSpeed, panel

if TYPE_CHECKING:
    from PIL.Image import Image

SHEET = (1100, 1600)
"""Largest page image, in pixels."""

THUMBNAIL = (72, 104)
PRINT = (900, 60)
"""Largest picture of a line with a disputed number."""
QUALITY = 55

ROUTINE = frozenset({"stage1_skipped", "plain_decoding", "read_by_regions", "page_turned", "page_reduced"})
ROUTINE |= {"sheet_found", "page_straightened", "light_evened"}
"""Kinds of events that say how a page was read, not that something may be missing."""

_NAMES = {
    Category.PAGE_HEADER: "Page header",
    Category.PAGE_FOOTER: "Page footer",
    Category.LIST_ITEM: "List item",
    Category.SECTION_HEADER: "Heading",
}


class ViewRenderer(Renderer):
    """Writes the view of one document. Pages need their images."""

    def __init__(self, simulated: bool = False) -> None:
        self._blocks = BlockHtml()
        self._speed: list[PageSpeed] = []
        self._simulated = simulated
        self._formulas = False

    def begin(self, source: str, sha256: str) -> str:
        name = escape(PurePath(source).name or source)
        head, _, _ = _file("view.html").partition("{{pages}}")
        return _filled(head, title=name, policy=_policy(), style=_style())

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        self._speed.append(PageSpeed.of(result))
        spans = _spans(result)
        left: dict[int, list[tuple[int, LeftOut]]] = {}
        for number, one in enumerate(() if result.provenance is None else result.provenance.left_out):
            left.setdefault(one.after, []).append((number, one))
        parts = [_left(*one) for one in left.get(-1, ())]
        first = 0
        for index, block in enumerate(result.blocks):
            parts.append(self._block(index, block, spans[index], first))
            first += len(block.places)
            parts += [_left(*one) for one in left.get(index, ())]
        body = "\n".join(parts)
        self._formulas = self._formulas or 'class="math' in body or 'class="formula' in body
        checks = sum(map(is_shown, (span for own in spans for span in own))) + sum(map(len, left.values()))
        return (
            f'<article class="page" id="page-{result.number}" aria-label="Page {result.number}" '
            f'data-status="{_status(result)}" data-checks="{checks}">\n'
            f'<div class="sheet"><div class="paper"></div></div>\n'
            f'<div class="text"><h2><a href="#page-{result.number}">Page {result.number}</a></h2>\n'
            f"{_remarks(result)}{_missing(result)}{_misplaced(result)}{_numbers(result)}{body}</div>\n"
            f'<script type="application/json" class="data">{_island(_data(result))}</script>\n</article>\n'
        )

    def end(self) -> str:
        _, _, tail = _file("view.html").partition("{{pages}}")
        return _filled(
            tail,
            speed=panel(self._speed, self._simulated),
            temml=f"<script>{_file('temml.min.js')}</script>" if self._formulas else "",
            script=f"<script>{_file('view.js')}</script>",
        )

    def _block(self, index: int, block: Block, spans: tuple[Span, ...], first: int) -> str:
        """``first`` is the number of its first word among those of the page."""

        def render(text: str) -> str:
            return self._blocks.render(replace(block, text=text))

        html = marked(block.text, render, spans, block.places, first)
        name = _NAMES.get(block.category, block.category.value)
        if block.category is Category.PICTURE:
            html = f'<canvas class="crop" role="img" aria-label="Picture"></canvas>{html}'
        whose = "" if block.words == "model" else f'<span class="tag whose">{block.words}</span>'
        classes = ["block", *(["furniture"] if block.category.is_furniture else [])]
        if any(map(is_shown, spans)):
            classes.append("check")
        return (
            f'<div class="{" ".join(classes)}" data-block="{index}" role="group" tabindex="-1" '
            f'aria-label="{name}, block {index + 1}"><span class="number" aria-hidden="true">{index + 1}</span>'
            f'<div class="body">{whose}{html}</div></div>'
        )


def _left(number: int, one: LeftOut) -> str:
    """Text of the draft that the model left out, in the place where it would be."""
    kind = "" if one.category in (None, Category.TEXT) else f" ({_NAMES.get(one.category, one.category.value).lower()})"
    return (
        f'<div class="block check left-out" data-left="{number}" role="group" tabindex="-1" '
        f'aria-label="Left out by the model{escape(kind)}"><span class="number" aria-hidden="true">–</span>'
        f'<div class="body"><span class="tag">Left out{escape(kind)}</span> {escape(one.text)}</div></div>'
    )


def _remarks(result: PageResult) -> str:
    """The page's events: what may be missing is shown, how the page was read is folded away."""
    remarks = [] if result.error is None else [f"This page could not be read: {result.error}"]
    remarks += [] if result.doubtful is None else [f"Doubtful: {result.doubtful}"]
    if result.provenance is not None and not result.provenance.drafted and result.status == "ok":
        remarks.append("No draft to compare with: nothing is marked on this page.")
    elsewhere = {*ROUTINE, WORDS_MISSING, STRUCTURE_DOUBTFUL}  # these are the reason for doubt
    remarks += [_event(one) for one in result.events if one.kind not in elsewhere]
    account = result.account
    if account is not None and account.witness != "none" and not (account.missing or account.misplaced):
        remarks.append("Words and structure agree with what is drawn.")
    done = [_event(one) for one in result.events if one.kind in ROUTINE]
    folded = f"<details><summary>How it was read</summary>{_items(done)}</details>\n" if done else ""
    return (f'<div class="remarks">{_items(remarks)}</div>\n' if remarks else "") + folded


def _missing(result: PageResult) -> str:
    """The words of the page that are not in the output, each leading to its place on the page."""
    account = result.account
    if account is None or not account.missing:
        return ""
    at = {id(run): number for number, run in enumerate((*account.places, *account.runs))}
    items = "".join(
        f'<li><button type="button" data-word="{at[id(run)]}">{escape(run.text)}</button></li>'
        for run in account.missing
    )
    count = account.counts["missing"]
    summary = f"{count:,} word{'' if count == 1 else 's'} of the page {'is' if count == 1 else 'are'} missing"
    return f'<details class="missing" open><summary>{summary}</summary><ul>{items}</ul></details>\n'


def _misplaced(result: PageResult) -> str:
    """Where the written structure is not the one that is drawn: what is wrong, and the words where it is seen."""
    account = result.account
    if account is None or not account.misplaced:
        return ""
    items = _items([f"{SAID[one.fault]}: {one.text}" for one in account.misplaced])
    count = len(account.misplaced)
    summary = f"{count:,} place{'' if count == 1 else 's'} where the structure is not the one that is drawn"
    return f'<details class="misplaced"><summary>{summary}</summary>{items}</details>\n'


def _words(account: PageAccount | None) -> list[tuple[int, int, int, int, int, str]]:
    """The runs of a page's words for the script: their boxes, the number of their state, and why."""
    runs = () if account is None else (*account.places, *account.runs)
    return [(*run.bbox.rounded(), STATES.index(run.state), run.rule) for run in runs]


def _places(result: PageResult) -> list[list[int]]:
    """The written words of a page for the script: certainty in percent, the number of how the place is known, and the
    four sides of each box."""
    return [
        [round(100 * word.certainty), HOWS.index(word.how), *(side for box in word.boxes for side in box.rounded())]
        for block in result.blocks
        for word in block.places
    ]


def _numbers(result: PageResult) -> str:
    """The numbers on which readings differ, each with a picture of its print."""
    numbers = () if result.provenance is None else result.provenance.numbers
    if not numbers:
        return ""
    rows = []
    for one in numbers:
        picture = None
        if result.image is not None and one.bbox is not None:
            picture = crop(result.image, one.bbox.grown(0.2 * one.bbox.height))
        shown = "" if picture is None else f'<img alt="the print" src="{_webp(picture, PRINT)}">'
        readings = "<br>".join(f"{escape(source)}: <b>{escape(text)}</b>" for source, text in one.readings)
        rows.append(f"<tr><td>block {one.block + 1}</td><td>{readings}</td><td>{shown}</td></tr>")
    summary = f"{len(numbers)} number{'' if len(numbers) == 1 else 's'} on which readings differ"
    return f'<details class="numbers" open><summary>{summary}</summary><table>{"".join(rows)}</table></details>\n'


def _event(event: Event) -> str:
    return f"{event.kind.replace('_', ' ').capitalize()}: {event.detail}"


def _items(texts: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(one)}</li>" for one in texts) + "</ul>"


def _spans(result: PageResult) -> tuple[tuple[Span, ...], ...]:
    return ((),) * len(result.blocks) if result.provenance is None else result.provenance.spans


def _status(result: PageResult) -> str:
    if result.status == "ok" and result.damage is not None:
        return "damaged"
    return "cut" if result.status == "ok" and result.cut is not None else result.status


def _data(result: PageResult) -> dict[str, Any]:
    """A page's data for the script: boxes are ``[x0, y0, x1, y1]`` in pixels of ``width`` x ``height``."""
    left = () if result.provenance is None else result.provenance.left_out
    return {
        "page": result.number,
        "width": result.width,
        "height": result.height,
        "image": None if result.image is None else _webp(result.image, SHEET),
        "thumbnail": None if result.image is None else _webp(result.image, THUMBNAIL),
        "boxes": [None if block.bbox is None else block.bbox.rounded() for block in result.blocks],
        "names": [_NAMES.get(block.category, block.category.value) for block in result.blocks],
        "words": _words(result.account),
        "places": _places(result),
        "left": [None if one.bbox is None else one.bbox.rounded() for one in left],
    }


def _island(value: Any) -> str:
    """JSON that no parser of HTML takes for anything else."""
    return dump_json(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _webp(image: Image, size: tuple[int, int]) -> str:
    small = image.copy()
    small.thumbnail(size)
    buffer = io.BytesIO()
    small.save(buffer, "WEBP", quality=QUALITY, method=4)
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


@cache
def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _filled(template: str, **values: str) -> str:
    """``template`` with its places filled once: inserted text is not searched for places."""
    return re.sub(r"\{\{(\w+)\}\}", lambda place: values[place[1]], template)


def _style() -> str:
    return _file("view.css") + _file("temml.css")


@cache
def _policy() -> str:
    """Allows a browser to run the file's own scripts, apply its own style and show images that it holds."""
    scripts = " ".join(_hash(_file(name)) for name in ("temml.min.js", "view.js"))
    return (
        f"default-src 'none'; img-src data:; style-src {_hash(_style())}; script-src {scripts}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
