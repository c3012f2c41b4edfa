"""A target's Markdown, read back into blocks without losing a character.

The blocks' gaps and texts one after the other are the answer, white space at its ends aside, whatever the answer is: a
line that fits no construct is a paragraph. Only what a model writes around a page is left out: thoughts, front matter,
and a fence around the whole (one of the normalisations that ``raw`` turns off). A fence that names a programming
language is kept: the page is then a listing, and without its fence its comments would be headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from docspec.core import Block, Category
from docspec.dialects.tables import is_delimiter_row

_THINK, _END_OF_THINK = "<think>", "</think>"
_PAGE_LANGUAGES = frozenset(
    ["", "markdown", "md", "html", "xhtml", "xml", "latex", "tex", "katex", "math", "json", "text", "txt", "plaintext"]
)
_FRONT_MATTER = re.compile(r"\s*---\r?\nprimary_language:[^\n]*\n(?:[a-z_]+:[^\n]*\n)*---[ \t]*(?:\r?\n|$)")
"""olmOCR's data about the page, before it; the first field tells them from a page that begins with a rule."""

_OPENING = re.compile(r"\s*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*(?:\r\n|\r|\n)")
_FENCE_LINE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[ \t]*\r?$", re.MULTILINE)


def unpacked(text: str) -> str:
    """The page in an answer: without thoughts and front matter before it and without the fence around all of it.

    An answer that was cut off while the model was thinking holds no page.
    """
    page = without_fence(_without_thoughts(text))
    return page[front.end() :] if (front := _FRONT_MATTER.match(page)) else page


def without_fence(text: str) -> str:
    """``text`` without a fence around the whole of it, also one that was not closed before the text was cut off.

    A closing fence before the end means that the fence is part of the page; fences inside the outer one come in pairs.
    """
    opening = _OPENING.match(text)
    if opening is None or opening[2].lower() not in _PAGE_LANGUAGES:
        return text
    closings: list[re.Match[str]] = []
    inside = False
    for fence in _FENCE_LINE.finditer(text, opening.end()):
        if fence[1][0] != opening[1][0] or len(fence[1]) < len(opening[1]):
            continue
        if fence[2]:
            inside = True
        elif inside:
            inside = False
        else:
            closings.append(fence)
    if len(closings) % 2 == 0:
        return text[opening.end() :]
    end = closings[-1]
    return text if text[end.end() :].strip() else text[opening.end() : end.start()]


def _without_thoughts(text: str) -> str:
    """The answer behind the thoughts; a chat template may open them itself, so that the answer has only their end."""
    begun = text.lstrip()
    thoughts, end, answer = begun.partition(_END_OF_THINK)
    if begun.startswith(_THINK):
        return answer
    return answer if end and _THINK not in thoughts and answer.startswith(("\n", "\r")) else text


_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+\S")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_RULE = re.compile(r"\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•●◦▪‣]|(\d{1,3})[.)]|\(?[a-z0-9]{1,2}\))\s+\S")
_TABLE_TAG = re.compile(r"<(/?)table\b", re.IGNORECASE)
_TABLE_END = re.compile(r"</table\s*>", re.IGNORECASE)
_IMAGE = re.compile(
    r"\s*(?:!\[[^\]]*\]\([^)]*\)|<img\b[^>]*>|<!--\s*(?:image|figure|picture)\b.*-->)\s*$", re.IGNORECASE
)
_FORMULA = re.compile(r"\s*(\$\$|\\\[|\\begin\{((?:equation|align|gather|multline|eqnarray|displaymath)\*?)\})")
_EQUATION_NUMBER = re.compile(r"\s*+(?:\\tag\{[^}]*\}|[([]\s*[\w.\-–]{1,8}\s*[)\]]|[.,;])?\s*+")

_MOST_SPLITS = 1_000  # each copies the rest of its line; a line without end of empty tables is no page
_FORMULA_LINES = 60  # a loop of openings must not be searched to the end from every line


def parse_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown answer in order, without boxes. Never raises; an empty text has no blocks.

    Every text is a piece of the answer as it stands there, line endings included.
    """
    lines = _LINE.findall(unpacked(text))
    return tuple(_BlockReader([line for line, _ in lines], [end for _, end in lines]).blocks())


def join_blocks(pieces: Iterable[tuple[Category, str]]) -> str:
    """Markdown of texts with their categories: blank lines between blocks, none between two list items."""
    result: list[str] = []
    previous: Category | None = None
    for category, text in pieces:
        if not text.strip():
            continue
        if result:
            result.append("\n" if category is previous is Category.LIST_ITEM else "\n\n")
        result.append(text)
        previous = category
    return "".join(result)


class _BlockReader:
    """Reads blocks from lines and their line endings (empty for the first part of a split line)."""

    def __init__(self, lines: list[str], ends: list[str]) -> None:
        self._lines = lines
        self._ends = ends
        self._at = 0
        self._splits = 0

    def blocks(self) -> Iterable[Block]:
        gap = ""
        while self._at < len(self._lines):
            start = self._at
            line = self._lines[start]
            if not line.strip():
                gap += line + self._ends[start]
                self._at += 1
                continue
            category, self._at = self._construct(line)
            pieces = zip(self._lines[start : self._at], self._ends[start : self._at], strict=True)
            written = "".join(line + end for line, end in pieces)
            text = written.rstrip()
            indent = 0 if category is Category.LIST_ITEM else len(text) - len(text.lstrip())
            yield Block(category, text[indent:], gap=gap + text[:indent])
            gap = written[len(text) :]

    def _construct(self, line: str) -> tuple[Category, int]:
        """The category of the block at the current line, and the index of the line after the block."""
        following = self._at + 1
        if mark := _HEADING.match(line):
            return Category.TITLE if mark[1] == "#" else Category.SECTION_HEADER, following
        if fence := _FENCE.match(line):
            return Category.TEXT, self._fence_end(fence[1])
        if _IMAGE.match(line):
            return Category.PICTURE, following
        if line.lstrip()[:6].lower() == "<table":
            return Category.TABLE, self._html_table_end()
        if self._opens_pipe_table(self._at):
            return Category.TABLE, self._pipe_table_end()
        if (opening := _FORMULA.match(line)) and (end := self._formula_end(opening)):
            return Category.FORMULA, end
        if _LIST_ITEM.match(line) and not _RULE.match(line):
            return Category.LIST_ITEM, self._paragraph_end(in_list=True)
        return Category.TEXT, self._paragraph_end()

    def _fence_end(self, fence: str) -> int:
        for index in range(self._at + 1, len(self._lines)):
            line = self._lines[index].strip()
            if line.startswith(fence) and not line.strip(fence[0]):
                return index + 1
        return len(self._lines)

    def _html_table_end(self) -> int:
        depth = 0
        for index in range(self._at, len(self._lines)):
            line = self._lines[index]
            if not line.strip() and not self._lines[min(index + 1, len(self._lines) - 1)].lstrip().startswith("<"):
                return index
            for tag in _TABLE_TAG.finditer(line):
                depth += -1 if tag[1] else 1
                if depth == 0:
                    closing = _TABLE_END.match(line, tag.start())
                    self._split_line(index, closing.end() if closing else tag.end())
                    return index + 1
        return len(self._lines)

    def _opens_pipe_table(self, index: int) -> bool:
        line = self._lines[index]
        if "|" not in line:
            return False
        following = self._lines[index + 1] if index + 1 < len(self._lines) else ""
        line = line.strip()
        return is_delimiter_row(following) or (len(line) > 1 and line[0] == line[-1] == "|")

    def _pipe_table_end(self) -> int:
        index = self._at + 1
        while index < len(self._lines) and "|" in self._lines[index]:
            index += 1
        return index

    def _formula_end(self, opening: re.Match[str]) -> int | None:
        """The line after a display formula; ``None`` if the line only looks like the beginning of one."""
        closing = rf"\end{{{opening[2]}}}" if opening[2] else {"$$": "$$", r"\[": r"\]"}[opening[1]]
        start = opening.end()
        limit = min(len(self._lines), self._at + _FORMULA_LINES)
        for index in range(self._at, limit):
            line = self._lines[index]
            if not line.strip():
                return index if self._lines[self._at].strip() == opening[1] else None
            end = line.find(closing, start)
            if end >= 0:
                return index + 1 if _EQUATION_NUMBER.fullmatch(line, end + len(closing)) else None
            start = 0
        return limit if limit == len(self._lines) else None

    def _paragraph_end(self, *, in_list: bool = False) -> int:
        first = self._lines[self._at]
        if (table := _TABLE_TAG.search(first)) and not table[1]:
            self._split_line(self._at, table.start())
            return self._at + 1
        for index in range(self._at + 1, len(self._lines)):
            line = self._lines[index]
            if not line.strip() or self._interrupts(index, in_list):
                return index
            if (table := _TABLE_TAG.search(line)) and not table[1]:
                self._split_line(index, table.start())
                return index + 1
        return len(self._lines)

    def _interrupts(self, index: int, in_list: bool) -> bool:
        """Whether a paragraph ends before this line (as in CommonMark, only "1." may begin a list there)."""
        line = self._lines[index]
        if item := _LIST_ITEM.match(line):
            return in_list or item[1] in (None, "1")
        return bool(
            _HEADING.match(line)
            or _FENCE.match(line)
            or _FORMULA.match(line)
            or _IMAGE.match(line)
            or _RULE.match(line)
            or line.lstrip()[:6].lower() == "<table"
            or self._opens_pipe_table(index)
        )

    def _split_line(self, index: int, column: int) -> None:
        line = self._lines[index]
        if self._splits < _MOST_SPLITS and line[column:].strip():
            self._splits += 1
            self._lines[index : index + 1] = [line[:column], line[column:]]
            self._ends.insert(index, "")
