"""The words of a block: runs of characters that its text shows, with their atoms."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from docspec.core import Block, Category
from docspec.core.formulas import NOTHING, shown_signs
from docspec.ledger.atoms import atoms_of
from docspec.ledger.outputs import markdown_words

MINUS = "\u2212"

_WORD = re.compile(r"\S+")
_FORMULA = re.compile(r"\$\$[^$]+\$\$|\$[^$\n]+\$")
_BAR = re.compile(r"\|")
_DASHES = re.compile(r"[\u2010-\u2015\u2212\u2043\u00ad]")
_SIGNED = re.compile(r"(?<![^\W_])-(?=\d)")


@dataclass(frozen=True, slots=True)
class WrittenPiece:
    """An atom of a word, or its whole text if it has none: its ``key``, by which both sides are compared, and the
    characters of the word that it is."""

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class WrittenWord:
    """A word with its characters in the text of its block; ``in_formula``: its letters are placed by LaTeX."""

    text: str
    start: int
    end: int
    pieces: tuple[WrittenPiece, ...]
    in_formula: bool = False


def written_words(block: Block) -> list[WrittenWord]:
    """The words that ``block`` shows, in its order."""
    is_formula = block.category is Category.FORMULA
    shown = shown_signs(block.text) if is_formula else markdown_words(block.text)
    if block.category is Category.TABLE and not block.text.lstrip().startswith("<"):
        shown = _BAR.sub(" ", shown)
    formulas = [] if is_formula else [match.span() for match in _FORMULA.finditer(block.text)]
    starts = [start for start, _ in formulas]
    words = []
    for match in _WORD.finditer(shown):
        text = match[0].replace(NOTHING, "")
        if not text:
            continue
        before = bisect_right(starts, match.start()) - 1
        inside = is_formula or (before >= 0 and match.start() < formulas[before][1])
        end = match.start() + len(match[0].rstrip(NOTHING))
        words.append(WrittenWord(text, match.start(), end, pieces_of(text), inside))
    return words


def pieces_of(text: str) -> tuple[WrittenPiece, ...]:
    """The pieces of a word. One without letters, figures and signs (a dash) is a piece by itself."""
    pieces = tuple(WrittenPiece(*atom) for atom in atoms_of(text))
    return pieces or (WrittenPiece("\0" + _DASHES.sub("-", unicodedata.normalize("NFKC", text)), 0, len(text)),)


def letters_of(text: str) -> str:
    """The letters and figures of ``text`` by which a word is the same: capitals, accents and the minus of a number
    count, kinds of quotes and dashes do not."""
    plain = _DASHES.sub("-", unicodedata.normalize("NFKC", text))
    plain = _SIGNED.sub(MINUS, plain)
    return "".join(sign for sign in plain if sign.isalnum() or sign == MINUS)
