"""Blocks to HTML that is safe to show: what the target wrote is untrusted.

Markdown is rendered with raw HTML switched off; tables keep allowed tags only. Everything else is shown as it was
written: no text is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from html import escape, unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from docspec.core import Block, Category
from docspec.core.formulas import bare_formula
from docspec.reporting.headings import HEADING, LEVELS
from docspec.reporting.htmltable import sanitised_table
from docspec.reporting.mathml import mathml_of
from docspec.reporting.renderer import UNREAD

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

_BORDER = re.compile(r"(?<!\\)\|")
_PREFIX = re.compile(r"[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*\|?")
_LINE_END = re.compile(r"\r\n|\r|\n")


def squared(markdown: str, tables: Iterable[tuple[int, int]]) -> str:
    """``markdown`` with further header cells, empty, over the cells that have none.

    ``tables`` are ranges of lines, the first of each its header and the second its row of dashes.
    """
    lines = _LINE_END.split(markdown)
    for start, end in tables:
        missing = max(map(_columns, lines[start:end])) - _columns(lines[start])
        if missing > 0:
            lines[start] = _closed(lines[start]) + "  |" * missing
            lines[start + 1] = _closed(lines[start + 1]) + "---|" * missing
    return "\n".join(lines)


def _columns(line: str) -> int:
    return len(_BORDER.findall(_PREFIX.sub("", _closed(line), count=1)))


def _closed(line: str) -> str:
    """The line with a border at its end."""
    line = line.rstrip()
    return line if line.endswith("|") and not line.endswith("\\|") else line + "|"


# Backslashes, underscores and stars of a formula within a line are not Markdown's.
_INLINE_MATH = re.compile(
    r"""(?P<dollars>\$\$?)(?![\s$]) (?:\\.|[^\\$])+ (?<!\s)(?P=dollars)(?!\d)  # not "$5 or $6", as in Pandoc
    | \\\( (?:(?!\\[()]).)+ \\\) | \\\[ (?:(?!\\[\[\]]).)+ \\\]""",
    re.DOTALL | re.VERBOSE,
)

_DELIMITER = re.compile(r"\$|\\[(\[]")
MOST_DELIMITERS = 1000
"""Most delimiters of formulas in a block whose formulas become MathML: more are a loop of a model, a formula takes a
tenth of a millisecond."""

_LANGUAGE = re.compile(r"[A-Za-z+#-]{0,12}")
_ADDRESS = re.compile(r"[^\s<>]*[./:#][^\s<>]*|")
# A line break, or a few words in a tag that does no more than show them in another way.
_SIMPLE_TAG = re.compile(r"<br\s*/?>|<(b|i|u|s|em|strong|sub|sup)>([^<>]*)</\1>", re.IGNORECASE)
_TABLES = re.compile(r"<table\b.*(?:</table\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_LONGEST = 100_000  # characters; a page has a tenth, and the parser takes 10 s for a megabyte of brackets
_NESTING = 20  # levels; the parser leaves out what is deeper, so that such texts are shown as written

_CLASSES = {
    Category.CAPTION: "caption",
    Category.FOOTNOTE: "footnote",
    Category.PAGE_HEADER: "furniture",
    Category.PAGE_FOOTER: "furniture",
}


class BlockHtml:
    """Renders one block at a time; formulas as their LaTeX, or with ``mathml`` as MathML where nothing is lost."""

    def __init__(self, mathml: bool = False) -> None:
        self._mathml = mathml
        self._markdown = _markdown_renderer(_latex)
        self._with_math = _markdown_renderer(_math) if mathml else self._markdown

    def render(self, block: Block, figure: str | None = None) -> str:
        """``block`` as HTML, ``""`` where there is nothing to show; ``figure`` is the link of a picture."""
        text = block.text.strip("\r\n").rstrip()
        if block.category is Category.PICTURE:
            alt = UNREAD if block.unread else ""
            image = f'<img src="{escape(figure, quote=True)}" alt="{alt}">' if figure is not None else ""
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
            formula = bare_formula(text)
            math = mathml_of(formula, display=True) if self._mathml else None
            return f'<div class="formula">{math or escape(formula)}</div>'
        if block.category in LEVELS and block.gap is None and not HEADING.match(text):
            level = LEVELS[block.category]
            line = " ".join(text.split())
            shown = escape(line) if len(line) > _LONGEST else self._markdown.renderInline(line)
            return f"<h{level}>{shown}</h{level}>"
        rendered = self._rendered(text)
        css = _CLASSES.get(block.category)
        return rendered if css is None else f'<div class="{css}">{rendered}</div>'

    def _rendered(self, markdown: str) -> str:
        if len(markdown) > _LONGEST:
            return f"<pre>{escape(markdown)}</pre>"
        renderer = self._with_math if len(_DELIMITER.findall(markdown)) <= MOST_DELIMITERS else self._markdown
        tokens = renderer.parse(markdown)
        tables = [(token.map[0], token.map[1]) for token in tokens if token.type == "table_open" and token.map]
        if tables:
            tokens = renderer.parse(squared(markdown, tables))
        if any(token.level >= _NESTING for token in tokens):
            return f"<pre>{escape(markdown)}</pre>"
        return str(self._markdown.renderer.render(tokens, self._markdown.options, {})).strip()


@cache
def _markdown_renderer(formula: Callable[[re.Match[str]], str]) -> MarkdownIt:
    """The parser and renderer of blocks, made once (1 ms) for all of them."""
    from markdown_it import MarkdownIt

    renderer = MarkdownIt("commonmark", {"html": False, "maxNesting": _NESTING + 1})
    renderer.enable(["table", "strikethrough"])
    renderer.disable("reference")  # "[1]: ..." is an entry of a list of references and would not be shown
    renderer.add_render_rule("image", _image_as_text)
    renderer.inline.ruler.before("escape", "math", _shown_as(_INLINE_MATH, formula))
    renderer.inline.ruler.after("escape", "simple_tag", _shown_as(_SIMPLE_TAG, _simple_tag))
    renderer.add_render_rule("fence", _fence)
    renderer.render("a")  # its rules are compiled before another thread can use it
    return renderer


def _shown_as(pattern: re.Pattern[str], html: Callable[[re.Match[str]], str]) -> Callable[[StateInline, bool], bool]:
    """A rule of the parser: what matches ``pattern`` is no Markdown and is shown as ``html``."""

    def rule(state: StateInline, silent: bool) -> bool:
        match = pattern.match(state.src, state.pos)
        if match is None:
            return False
        if not silent:
            state.push("html_inline", "", 0).content = html(match)
        state.pos = match.end()
        return True

    return rule


def _latex(match: re.Match[str]) -> str:
    return f'<span class="math">{escape(match[0])}</span>'


def _math(match: re.Match[str]) -> str:
    math = mathml_of(bare_formula(match[0]), match[0].startswith(("$$", "\\[")))
    return _latex(match) if math is None else f'<span class="math">{math}</span>'


def _simple_tag(match: re.Match[str]) -> str:
    tag = (match[1] or "br").lower()
    return "<br>" if tag == "br" else f"<{tag}>{escape(unescape(match[2]))}</{tag}>"


def _fence(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    """Code; what stands behind its opening fence is shown too, unless it can be the name of a language."""
    info, code = tokens[index].info.strip(), tokens[index].content
    shown = code if _LANGUAGE.fullmatch(info) else info + "\n" + code
    return f"<pre><code>{escape(shown)}</code></pre>\n"


def _image_as_text(self: Any, tokens: Any, index: int, options: Any, env: Any) -> str:
    """An image that the target's text links to would be loaded from elsewhere: its description and its title are shown,
    and words in the place of its address.
    """
    token = tokens[index]
    source, title = unquote(str(token.attrs["src"])), str(token.attrs.get("title", ""))
    words = " ".join(filter(None, ["" if _ADDRESS.fullmatch(source) else source, title]))
    return f"<em>[{escape(token.content or 'picture')}]{words and f'({escape(words)})'}</em>"
