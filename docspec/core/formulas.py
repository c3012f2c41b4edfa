"""Formulas in LaTeX: their delimiters removed, and added to display formulas without any; and the signs that a formula
shows, each in the place of the command that it is written with."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

NOTHING = "\u2060"
"""The word joiner: it parts no word and is no letter."""

_COMMAND = re.compile(r"\\([A-Za-z]+) ?|\\.|[{}^_&~]")
_NAMES = frozenset(
    (
        "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp",
        "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr", "sec",
        "sin", "sinh", "sup", "tan", "tanh",
    )
)  # fmt: skip
"""Commands that show their own name."""

_SHOWN = {
    "pmod": "mod",
    "bmod": "mod",
    "iff": "⇔",
    "implies": "⇒",
    "dots": "…",
    "sim": "∼",
    "xrightarrow": "→",
    "xleftarrow": "←",
}
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[a-z]+\*?\}")


def shown_signs(latex: str) -> str:
    """The signs of ``latex``, as long as it is: what shows nothing is a space, or, behind a sign, parts no word."""
    latex = _ENVIRONMENT.sub(lambda match: " " * len(match[0]), latex)
    return _COMMAND.sub(_shown, latex).replace("$", " ").replace("*", "∗")


def letters_of(text: str) -> Counter[str]:
    """The plain letters and figures of ``text``."""
    return Counter(sign for sign in text if sign.isascii() and sign.isalnum())


def _shown(match: re.Match[str]) -> str:
    length, name = len(match[0]), match[1]
    if match[0] == "\\|":
        return "∥".rjust(length)
    if name is None:
        return match[0][1:].rjust(length) if match[0] in ("\\%", "\\#", "\\&") else " " * length
    if name in _NAMES:
        return name.ljust(length)
    if name in _SHOWN:
        return _SHOWN[name].ljust(length)
    sign = _sign_of(name)
    return sign.ljust(length, NOTHING) if sign else " " * length


@lru_cache(maxsize=2048)
def _sign_of(name: str) -> str:
    """The sign of a command; empty for one that shows none of its own."""
    from latex2mathml.symbols_parser import convert_symbol

    code = convert_symbol(f"\\{name}")
    sign = chr(int(code, 16)) if code else ""
    return "" if sign.isspace() or 0x300 <= ord(sign or " ") < 0x370 else sign


_PAIRS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_MARKS = re.compile(r"\\.|\$", re.DOTALL)  # "\\[2pt]" is a line break, no delimiter
_LATEX = re.compile(r"\\[A-Za-z]|[\^_{}]")


def bare_formula(text: str) -> str:
    r"""LaTeX without the delimiters around it (``$$``, ``$``, ``\[ \]``, ``\( \)``); several formulas stay."""
    stripped = text.strip()
    for opening, closing in _PAIRS:
        inner = stripped[len(opening) : len(stripped) - len(closing)]
        long_enough = len(stripped) > len(opening) + len(closing)
        if long_enough and stripped.startswith(opening) and stripped.endswith(closing) and opening not in inner:
            return inner.strip()
    return stripped


def display_formula(text: str) -> str:
    r"""A formula that stands alone, as Markdown: between ``$$``, unless it brings ``$`` of its own or is no LaTeX.

    ``\[ \]`` and ``\( \)`` around the whole become ``$$``, which more readers of Markdown know; backticks around the
    whole are dropped. ``x = 1`` without a command, an index or a brace is written as it is.
    """
    text = text.strip()
    if len(text) > 2 and text[0] == text[-1] == "`" and "`" not in text[1:-1]:
        text = text[1:-1].strip()
    marks = set(_MARKS.findall(text))
    if "$" in marks:
        return text
    bare = bare_formula(text)
    if bare == text and (marks & {"\\[", "\\("} or not _LATEX.search(text)):
        return text
    return f"$$\n{bare}\n$$"
