"""LaTeX's ``tabular`` as a table of texts, for truths that are published so.

Cells are parted where an ``&`` or a ``\\\\`` stands outside of braces and of environments within the cell; rules and
colours go, spans stay. What is left of a cell's LaTeX is its text without commands, which is enough to compare letters
and figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docspec.dialects.tables import Table, TableCell

_BEGIN = re.compile(r"\\begin\{(tabular[x*]?|array|longtable|tabulary)\}\s*")
_GROUP, _OPTION = r"\{(?:[^{}]|\{[^{}]*\})*\}", r"(?:\[[^\]]*\])?"
_RULE = re.compile(
    rf"\\(?:(?:hline|toprule|midrule|bottomrule|addlinespace|thickhline)(?![A-Za-z]){_OPTION}"
    rf"|(?:noalign|Xhline|rowcolor){_OPTION}\s*{_GROUP}|specialrule(?:\s*{_GROUP}){{3}}"
    rf"|c(?:mid|)(?:rule|line){_OPTION}\s*(?:\([^)]*\))?\s*{_GROUP})"
)
_PLACED = re.compile(
    r"\\(?:cite[a-z]*|ref|label|[vh]space|cellcolor|columncolor|textcolor|color|rotatebox|fontsize)\*?"
    r"(?:\[[^\]]*\])*\{[^{}]*\}(?:\[[^\]]*\])?|(?<=\\makecell)\[[^\]]*\]"
)
_ROW_END = re.compile(r"(?:\\\\\*?|\\tabularnewline)\s*(?:\[[^\]]*\])?")
_ENVIRONMENT = re.compile(rf"\\(?:begin\{{[A-Za-z*]+\}}{_OPTION}(?:{_GROUP})?|end\{{[A-Za-z*]+\}})")


def tabular(latex: str) -> Table:
    """The first ``tabular`` of ``latex`` (or its kin). A cell over several rows has empty ones below it in LaTeX, which
    are taken by it here."""
    body = _body(re.sub(r"(?<!\\)%.*", "", latex))
    rows: list[list[TableCell]] = []
    open_: dict[int, int] = {}
    for raw in _parted(_RULE.sub(" ", body), _ROW_END):
        cells: list[TableCell] = []
        column, below = 0, {at: left - 1 for at, left in open_.items() if left > 1}
        for part in _parted(raw, re.compile("&")):
            cell = _cell(part)
            if open_.get(column, 0) > 0 and not cell.text:
                column += cell.colspan
                continue
            cells.append(cell)
            if cell.rowspan > 1:
                below.update(dict.fromkeys(range(column, column + cell.colspan), cell.rowspan - 1))
            column += cell.colspan
        if cells or open_:
            rows.append(cells)
        open_ = below
    if rows and not any(cell.text for cell in rows[-1]):
        rows.pop()
    return Table(tuple(tuple(row) for row in rows))


def _body(latex: str) -> str:
    """What stands within the environment, without its arguments."""
    found = _BEGIN.search(latex)
    if found is None:
        return latex
    at = found.end()
    if latex[at : at + 1] == "[":
        at = latex.index("]", at) + 1
    for _ in range(2 if found[1] in ("tabularx", "tabular*", "tabulary") else 1):
        while latex[at : at + 1].isspace():
            at += 1
        if latex[at : at + 1] == "{":
            at = _closed(latex, at)
    end = latex.rfind(f"\\end{{{found[1]}}}")
    return latex[at : end if end >= 0 else len(latex)]


def _closed(latex: str, at: int) -> int:
    """Where the group that opens at ``at`` has ended."""
    depth = 0
    for place in range(at, len(latex)):
        if latex[place] in "{}" and (place == 0 or latex[place - 1] != "\\"):
            depth += 1 if latex[place] == "{" else -1
            if depth == 0:
                return place + 1
    return len(latex)


def _parted(latex: str, mark: re.Pattern[str]) -> Iterator[str]:
    """``latex`` between the ``mark`` outside of groups and environments."""
    start = at = depth = 0
    while at < len(latex):
        found = mark.match(latex, at) if depth == 0 else None
        if found is not None:
            yield latex[start:at]
            start = at = found.end()
            continue
        if latex[at] == "\\":
            depth += latex.startswith("\\begin{", at) - latex.startswith("\\end{", at)
            at += 2
            continue
        depth += (latex[at] == "{") - (latex[at] == "}")
        at += 1
    yield latex[start:]


def _cell(latex: str) -> TableCell:
    columns = rows = 1
    text = latex.strip()
    if span := re.match(r"\\multicolumn\s*\{\s*(\d+)\s*\}\s*", text):
        columns = int(span[1])
        at = _closed(text, span.end()) if text[span.end() : span.end() + 1] == "{" else span.end()
        text = _argument(text[at:])
    if span := re.match(r"\\multirow\s*(?:\[[^\]]*\])?\s*\{\s*(-?\d+)\s*\}\s*(?:\[[^\]]*\])?\s*", text):
        rows = abs(int(span[1]))
        at = _closed(text, span.end()) if text[span.end() : span.end() + 1] == "{" else span.end() + 1
        text = _argument(re.sub(r"^\s*(?:\[[^\]]*\])?", "", text[at:]))
    return TableCell(_plain(text), colspan=columns, rowspan=rows)


def _argument(latex: str) -> str:
    """The group that ``latex`` begins with, without its braces."""
    latex = latex.lstrip()
    end = _closed(latex, 0) if latex.startswith("{") else len(latex)
    return latex[1 : end - 1] if latex.startswith("{") else latex


def _plain(latex: str) -> str:
    """The text of a cell without commands."""
    text = _ENVIRONMENT.sub(" ", _PLACED.sub(" ", latex))
    text = re.sub(r"\\[A-Za-z]+\*?", " ", text.replace("\\\\", " "))
    return " ".join(re.sub(r"(?<!\\)[{}$^_~]|\\(?=[\W_])", "", text).split())
