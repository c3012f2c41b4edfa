"""Blocks to one self-contained HTML page that reads well in any browser: no scripts, nothing loaded from
elsewhere.

The target's texts are untrusted: Markdown is rendered with raw HTML switched off, tables pass a list of
allowed tags. What is not understood is shown as it was written: no text is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from html import escape, unescape
from pathlib import PurePath
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from docspec.core import Block, Category, PageResult
from docspec.core.formulas import bare_formula
from docspec.reporting.htmltable import sanitised_table
from docspec.reporting.markdown import HEADING, indent_of
from docspec.reporting.pipetable import squared
from docspec.reporting.renderer import Layout, separator_before, visible_blocks

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
.formula { overflow-x: auto; margin: 1rem 0; text-align: center; white-space: pre-wrap;
  font-family: ui-monospace, monospace; }
.math, pre { white-space: pre-wrap; }
.math { font: .92em ui-monospace, monospace; }
.caption, .footnote, .furniture { font-size: .9rem; opacity: .85; }
.failed { border-left: .3rem solid #c33; padding: .3rem .8rem; }
""".strip()

_INLINE_MATH = re.compile(
    r"""(?P<dollars>\$\$?)(?![\s$]) (?:\\.|[^\\$])+ (?<!\s)(?P=dollars)(?!\d)  # not "$5 or $6", as in Pandoc
    | \\\( (?:(?!\\[()]).)+ \\\) | \\\[ (?:(?!\\[\[\]]).)+ \\\]""",
    re.DOTALL | re.VERBOSE,
)

_LANGUAGE = re.compile(r"[A-Za-z+#-]{0,12}")
_SIMPLE_TAG = re.compile(r"<br\s*/?>|<(b|i|u|s|em|strong|sub|sup)>([^<>]*)</\1>", re.IGNORECASE)
_TABLES = re.compile(r"<table\b.*(?:</table\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_NESTING = 20  # levels; the parser leaves out what is deeper, so that such texts are shown as written

_HEADINGS = {Category.TITLE: "h1", Category.SECTION_HEADER: "h2"}
_APART = (Category.TABLE, Category.FORMULA, Category.PICTURE)
_CLASSES = {
    Category.CAPTION: "caption",
    Category.FOOTNOTE: "footnote",
    Category.PAGE_HEADER: "furniture",
    Category.PAGE_FOOTER: "furniture",
}


class HtmlRenderer:
    """Writes ``<main>`` with a ``<section id="page-N">`` per page; failed pages say so in their place."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._first_page = True
        self._markdown = _markdown_renderer()

    def begin(self, source: str, sha256: str) -> str:
        return (
            '<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta name="generator" content="docspec">\n<title>{escape(PurePath(source).name)}</title>\n'
            f"<style>\n{_STYLE}\n</style>\n</head>\n<body>\n<main>\n"
        )

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        number = result.number
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
            html = self._block(block, figures.get(index))
            if html:
                parts.append(html)
        if result.status == "failed":
            reason = escape(result.error or "unknown error")
            parts.append(f'<p class="failed">Page {number} could not be read: {reason}</p>')
        return f'<section id="page-{number}">\n' + "\n".join(parts) + "\n</section>\n"

    def end(self) -> str:
        return "</main>\n</body>\n</html>\n"

    def _block(self, block: Block, figure: str | None) -> str:
        text = block.text.strip("\r\n").rstrip()
        if block.category is Category.PICTURE:
            image = f'<img src="{escape(figure, quote=True)}" alt="">' if figure is not None else ""
            caption = f"<figcaption>{self._rendered(text)}</figcaption>" if text else ""
            return f"<figure>{image}{caption}</figure>" if image or caption else ""
        if not text.strip():
            return ""
        if block.category is Category.TABLE and text.lstrip().startswith("<"):
            return f'<div class="scroll">{sanitised_table(text)}</div>'
        if block.gap is None and (tables := _TABLES.search(text)):
            around = self._rendered(text[: tables.start()]), self._rendered(text[tables.end() :])
            return f'{around[0]}<div class="scroll">{sanitised_table(tables[0])}</div>{around[1]}'
        if block.category is Category.TABLE:
            return f'<div class="scroll">{self._rendered(text)}</div>'
        if block.category is Category.FORMULA:
            return f'<div class="formula">{escape(bare_formula(text))}</div>'
        if block.category in _HEADINGS and block.gap is None and not HEADING.match(text):
            tag = _HEADINGS[block.category]
            return f"<{tag}>{self._markdown.renderInline(' '.join(text.split()))}</{tag}>"
        rendered = self._rendered(text)
        css = _CLASSES.get(block.category)
        return rendered if css is None else f'<div class="{css}">{rendered}</div>'

    def _rendered(self, markdown: str) -> str:
        tokens = self._markdown.parse(markdown)
        tables = [
            (token.map[0], token.map[1]) for token in tokens if token.type == "table_open" and token.map
        ]
        if tables:
            tokens = self._markdown.parse(squared(markdown, tables))
        if any(token.level >= _NESTING for token in tokens):
            return f"<pre>{escape(markdown)}</pre>"
        return str(self._markdown.renderer.render(tokens, self._markdown.options, {})).strip()


def _joined(blocks: list[tuple[int, Block]]) -> list[tuple[int, Block]]:
    """What Markdown shows alike in one piece: parts of one answer as they stand there, and neighbouring list cells."""
    joined: list[tuple[int, Block, list[str]]] = []
    for index, block in blocks:
        seam = _seam(joined[-1][1], block) if joined else None
        if seam is None:
            joined.append((index, block, [indent_of(block), block.text]))
        else:
            joined[-1][2].extend((seam, block.text))
    return [(index, replace(block, text="".join(pieces))) for index, block, pieces in joined]


def _seam(before: Block, block: Block) -> str | None:
    """What stands between two blocks that make one piece, the first of which is ``before``; ``None`` between others."""
    if before.gap is None:
        items = before.category is block.category is Category.LIST_ITEM and block.gap is None
        return "\n" if items else None
    return None if before.category in _APART or block.category in _APART else block.gap


def _markdown_renderer() -> MarkdownIt:
    renderer = MarkdownIt("commonmark", {"html": False, "maxNesting": _NESTING + 1})
    renderer.enable(["table", "strikethrough"])
    renderer.disable("reference")  # "[1]: ..." is an entry of a list of references and would not be shown
    renderer.add_render_rule("image", _image_as_text)
    renderer.inline.ruler.before("escape", "math", _math)
    renderer.add_render_rule("math", _math_as_written)
    renderer.inline.ruler.after("escape", "simple_tag", _simple_tag)
    renderer.add_render_rule("simple_tag", _simple_tag_shown)
    renderer.add_render_rule("fence", _fence)
    return renderer


def _math(state: StateInline, silent: bool) -> bool:
    """A formula within a line: its backslashes, underscores and stars are not Markdown's."""
    found = _INLINE_MATH.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        state.push("math", "span", 0).content = found[0]
    state.pos = found.end()
    return True


def _math_as_written(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    return f'<span class="math">{escape(tokens[index].content)}</span>'


def _simple_tag(state: StateInline, silent: bool) -> bool:
    """A line break, or a few words in a tag that does no more than show them in another way."""
    found = _SIMPLE_TAG.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("simple_tag", (found[1] or "br").lower(), 0)
        token.content = found[2] or ""
    state.pos = found.end()
    return True


def _simple_tag_shown(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    tag = tokens[index].tag
    return "<br>" if tag == "br" else f"<{tag}>{escape(unescape(tokens[index].content))}</{tag}>"


def _fence(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    """Code; what stands behind its opening fence is shown too, unless it can be the name of a language."""
    info, code = tokens[index].info.strip(), tokens[index].content
    shown = code if _LANGUAGE.fullmatch(info) else info + "\n" + code
    return f"<pre><code>{escape(shown)}</code></pre>\n"


def _image_as_text(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    """An image that the target's text links to would be loaded from elsewhere: only its description is
    shown.
    """
    return f"<em>[{escape(tokens[index].content or 'picture')}]</em>"
