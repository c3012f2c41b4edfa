"""Other ways to write the same formula: models put spaces around relations and leave braces around single signs out."""

from __future__ import annotations

import re

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
