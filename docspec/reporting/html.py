"""Blocks to one self-contained HTML page that reads well in any browser: no scripts, nothing loaded from
elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from pathlib import PurePath

from docspec.core import Block, Category, PageResult
from docspec.reporting.htmlblocks import BlockHtml
from docspec.reporting.markdown import indent_of
from docspec.reporting.renderer import Layout, Renderer, separator_before, visible_blocks
from docspec.reporting.rich import Ends, RichText

_STYLE = """
:root { color-scheme: light dark; }
body { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 4rem;
  font: 1.05rem/1.55 Georgia, "Times New Roman", serif; overflow-wrap: anywhere; }
h1, h2, h3, .page { font-family: system-ui, sans-serif; line-height: 1.25; }
.page { margin: 2.5rem 0 1rem; font-size: .8rem; opacity: .65; border-top: 1px solid; padding-top: .3rem; }
.page a { color: inherit; text-decoration: none; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .92rem; overflow-wrap: normal; }
th, td { border: 1px solid #8888; padding: .25rem .55rem; vertical-align: top; text-align: left; }
figure { margin: 1rem 0; } img { max-width: 100%; height: auto; }
.formula { overflow: auto hidden; margin: 1rem 0; text-align: center; white-space: pre-wrap;
  font-family: ui-monospace, monospace; }
.math, pre { white-space: pre-wrap; }
.math { font: .92em ui-monospace, monospace; }
math { font-family: math; font-size: 1.1rem; }
.caption, .footnote, .furniture { font-size: .9rem; opacity: .85; }
.failed { border-left: .3rem solid #c33; padding: .3rem .8rem; }
""".strip()

_APART = (Category.TABLE, Category.FORMULA, Category.PICTURE)


class HtmlRenderer(Renderer):
    """Writes ``<main>`` with a ``<section id="page-N">`` per page; failed pages say so in their place."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._first_page = True
        self._blocks = BlockHtml(mathml=True)
        self._rich = RichText(tied=False)

    def begin(self, source: str, sha256: str) -> str:
        return (
            '<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="generator" content="docspec">\n<title>{escape(PurePath(source).name)}</title>\n'
            f"<style>\n{_STYLE}\n</style>\n</head>\n<body>\n<main>\n"
        )

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        result, number = self._rich.page(result, Ends()), result.number
        parts = []
        separator = separator_before(self._layout, number, self._first_page)
        self._first_page = False
        if separator is not None and not separator.lstrip().startswith("<!--"):
            parts.append(f'<p class="separator">{escape(separator)}</p>')
        parts.append(f'<p class="page"><a href="#page-{number}">page {number}</a></p>')
        raw = self._layout.raw and result.text
        if raw:
            parts.append(f"<pre>\n{escape(raw)}</pre>")
        for index, block in () if raw else _joined(visible_blocks(result, self._layout)):
            html = self._blocks.render(block, figures.get(index))
            if html:
                parts.append(html)
        if result.status == "failed":
            reason = escape(result.error or "unknown error")
            parts.append(f'<p class="failed">Page {number} could not be read: {reason}</p>')
        return f'<section id="page-{number}">\n' + "\n".join(parts) + "\n</section>\n"

    def end(self) -> str:
        return "</main>\n</body>\n</html>\n"


def _joined(blocks: list[tuple[int, Block]]) -> list[tuple[int, Block]]:
    """Joins blocks that Markdown shows as one piece: parts of one answer, and neighbouring list cells."""
    joined: list[tuple[int, Block, list[str]]] = []
    for index, block in blocks:
        seam = _seam(joined[-1][1], block) if joined else None
        if seam is None:
            joined.append((index, block, [indent_of(block), block.text]))
        else:
            joined[-1][2].extend((seam, block.text))
    return [(index, replace(block, text="".join(pieces))) for index, block, pieces in joined]


def _seam(before: Block, block: Block) -> str | None:
    """The text between two blocks that make one piece, ``before`` and ``block``; ``None`` between others."""
    if before.gap is None:
        items = before.category is block.category is Category.LIST_ITEM and block.gap is None
        return "\n" if items else None
    return None if before.category in _APART or block.category in _APART else block.gap
