"""The spellings of one drafted reading that several dialects share, the likeliest first.

Tree verification checks alternatives at nearly no cost, but every alternative is indexed and costs a little on the
host; so these are the differences that real outputs show, not all that can be imagined.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from docspec.core import Category
from docspec.core.choices import TableStyle
from docspec.core.formulas import bare_formula
from docspec.core.raised import has_raised, plain, respelled
from docspec.dialects import tables
from docspec.dialects.otsl import to_otsl
from docspec.dialects.text import (
    clean,
    join_cells,
    join_lines,
    split_items,
    split_marker,
    straight_quotes,
    strip_heading,
)

_SCRIPT = re.compile(r"([_^])\{(\w)\}")
_SPACED = re.compile(
    r" ?(\\(?:in|notin|to|leq|geq|neq|equiv|approx|sim|subset|subseteq|times|cdot|mapsto|mid|pm|cup|cap|wedge|otimes"
    r"|oplus|rightarrow|Rightarrow|propto|ll|gg)(?![A-Za-z])|:=|[=<>]|(?<=[\w)}\]'])[+-])(?![\w-]*\}\^) ?"
)
_MATH = re.compile(r"(?<!\\)(\$\$?)([^$]+)\1")


def loose(latex: str) -> str:
    """``latex`` with spaces around relations and signs of calculation, and ``x^2`` for ``x^{2}``."""
    return _SCRIPT.sub(r"\1\2", _SPACED.sub(r" \1 ", latex)).strip()


def with_loose_formulas(text: str) -> str:
    """``text`` with its formulas between ``$`` written loosely."""
    return _MATH.sub(lambda match: f"{match[1]}{loose(match[2])}{match[1]}", text)


def others(text: str) -> list[str]:
    """Other spellings of ``text`` with formulas between ``$``; none of a text without."""
    if "$" not in text:
        return []
    loosely = with_loose_formulas(text)
    return [loosely, in_brackets(loosely), in_brackets(text)]


def in_brackets(text: str) -> str:
    r"""``text`` with its formulas between ``\( \)`` in place of ``$``."""
    return _MATH.sub(lambda match: f"\\[ {match[2]} \\]" if match[1] == "$$" else f"\\( {match[2]} \\)", text)


TICKS = "□☐☑☒✓✔✕✖✗✘"
"""Signs of a list that say something of their item."""

_HEADING_PREFIXES = {Category.TITLE: ("# ", "## ", "", "**"), Category.SECTION_HEADER: ("## ", "# ", "### ", "", "**")}


def spellings(
    category: Category,
    reading: str,
    *,
    bullets: tuple[str, ...] = ("- ", "* "),
    table_style: TableStyle = "both",
    display_lines: bool = True,
) -> list[str]:
    """Spellings of ``reading`` (a drafter's neutral text) for a ``category``: no duplicates, no blanks.

    ``bullets`` are tried for list items that are printed with a symbol or none; ``display_lines`` says
    whether a display formula's ``$$`` stand on lines of their own first.
    """
    text = clean(reading)
    if category is Category.PICTURE or not text:
        return []
    if category is Category.TABLE and (written := _table(text, table_style)):
        return _with_raised(written)
    if category is Category.FORMULA:
        return formula(text, display_lines=display_lines)
    if category in _HEADING_PREFIXES:
        return heading(text, _HEADING_PREFIXES[category])
    if category is Category.LIST_ITEM:
        return list_items(text, bullets)
    return paragraph(text)


def paragraph(text: str) -> list[str]:
    """Lines joined, lines kept, hyphens kept where it matters, typewriter quotes where printed ones stand."""
    joined = join_lines(text)
    return _with_raised(
        unique([joined, *others(joined), text, join_lines(text, hyphens="keep"), straight_quotes(joined)])
    )


def heading(text: str, prefixes: Iterable[str]) -> list[str]:
    """One line behind each prefix; the prefix ``**`` also closes."""
    line = join_lines(strip_heading(text)).replace("\n\n", " ")
    return _with_raised(unique(f"**{line}**" if prefix == "**" else prefix + line for prefix in prefixes))


def list_items(text: str, bullets: tuple[str, ...], kept: str = "", around: str = "") -> list[str]:
    """The items of one region, one a line, under each bullet and as printed; printed numbers stay, and so do the
    symbols ``kept``. ``around`` is the text of the page."""
    items = [split_marker(join_lines(item, around=around)) for item in split_items(text)]
    styles = [*bullets, None]
    written = list(
        unique(
            "\n".join(_item(*(_printed(*item) if item[0] and item[0] in kept else (*item, style))) for item in items)
            for style in styles
        )
    )
    return _with_raised(unique([*written[:1], *others(written[0]), *written[1:]])) if written else []


def formula(text: str, *, display_lines: bool = True) -> list[str]:
    """A display formula between ``$$`` on lines of their own, ``$$`` tight, ``\\[ \\]``, and bare."""
    bare = bare_formula(text)
    lines, tight = f"$$\n{bare}\n$$", f"$${bare}$$"
    first = [lines, tight] if display_lines else [tight, lines]
    if (spaced := loose(bare)) != bare:
        first += [f"$$\n{spaced}\n$$", f"$${spaced}$$", f"\\[\n{spaced}\n\\]"]
    return unique([*first, f"\\[\n{bare}\n\\]", f"\\[{bare}\\]", bare])


def unique(texts: Iterable[str]) -> list[str]:
    """``texts`` in order, blanks and repetitions left out."""
    return [text for text in dict.fromkeys(texts) if text.strip()]


def interleaved(groups: Iterable[list[str]]) -> list[str]:
    """The first of each group, then the second of each, and so on, without duplicates."""
    return unique(text for tier in itertools.zip_longest(*groups) for text in tier if text is not None)


def _with_raised(texts: list[str]) -> list[str]:
    """``texts``, and the first with raised and lowered characters as models write them: tags, LaTeX, nothing."""
    if not texts or not has_raised(texts[0]):
        return texts
    tags = respelled(texts[0], "<sup>{}</sup>".format, "<sub>{}</sub>".format)
    maths = respelled(texts[0], "$^{{{}}}$".format, "$_{{{}}}$".format)
    return unique([texts[0], tags, maths, plain(texts[0]), *texts[1:]])


def _printed(marker: str, body: str) -> tuple[str, str, str | None]:
    return (marker, body, None) if marker in "-*+" else ("", f"{marker} {body}", "- ")


def _item(marker: str, body: str, bullet: str | None) -> str:
    if re.search(r"\w", marker) or (bullet is None and marker):
        return f"{marker} {body}"
    return (bullet or "") + body


def _table(text: str, style: TableStyle) -> list[str]:
    table = tables.parse_table(join_cells(text))
    if table is None:
        return []
    if style == "otsl":
        return unique([to_otsl(table), to_otsl(table, heads=True)])
    compact = [tables.to_html(table), tables.to_html(table, head="none")]
    if style == "compact":
        return unique(compact)
    first_rows = tables.to_pipe(table, tight=True).split("\n")[:3]  # all that differs from the other pipe table
    pipe = [tables.to_pipe(table), "\n".join(first_rows)]
    if style == "pipe":
        return unique(pipe)
    indented = [tables.to_html(table, indented=True), tables.to_html(table, head="none", indented=True)]
    return unique([*compact, *(pipe if style == "both" else ()), *indented])
