"""The grammar of tables inside JSON strings: it reads and predicts their text with its escapes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from docspec.core.grammar import Completion
from docspec.dialects.table_grammar import TableGrammar
from docspec.dialects.tables import Table

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_BEGUN_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)\Z")
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_END = "\0"


class EscapedTables:
    """Predicts ``tables`` (drafted, in reading order) where they are written inside JSON strings.

    ``behind`` is the text after a table, with its escapes.
    """

    def __init__(self, tables: Sequence[Table], behind: str) -> None:
        self._tables = TableGrammar(tables, _END)
        self._behind = behind
        self._begun = ""

    def follow(self, text: str) -> None:
        text = self._begun + text
        if "\\" in text:
            begun = _BEGUN_ESCAPE.search(text)
            cut = begun.start(1) if begun else len(text)
            text, self._begun = text[:cut], text[cut:]
            text = _ESCAPE.sub(_sign, text)
        else:
            self._begun = ""
        self._tables.follow(text)

    def completions(self) -> Sequence[Completion]:
        if self._begun:
            return ()
        return [Completion(self._escaped(text), sureness) for text, sureness in self._tables.completions()]

    def _escaped(self, text: str) -> str:
        table, end, _ = text.partition(_END)
        return json.dumps(table, ensure_ascii=False)[1:-1] + (self._behind if end else "")


def _sign(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else _SIGNS.get(escape[2], escape[2])
