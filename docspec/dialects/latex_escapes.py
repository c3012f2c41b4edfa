r"""Restores LaTeX commands in a JSON string whose backslashes are not escaped: JSON reads control characters.

``\frac`` is read as a form feed and ``rac``, ``\beta`` as a backspace and ``eta``, ``\times`` as a tab and ``imes``,
``\nabla`` as a line feed and ``abla``. No page holds form feeds, backspaces and lone carriage returns; tabs and line
feeds may be meant, so that they are looked at in formulas only. What is a command of LaTeX and no beginning of a line
is restored there always; what could be both (``\nu``, ``\not``) if the answer as a whole writes single backslashes.
(``\u`` needs no rule: no command goes on with four hexadecimal digits, so that it is no JSON and is kept as it stands.)
"""

from __future__ import annotations

import re

_ANYWHERE = re.compile("[\b\f\r](?=[A-Za-z])")
_TABS = (
    r"ext(?:bf|it|rm|sf|tt|normal|color|style|up|sc|md)?|imes|heta|au|anh?|ilde|frac|binom|riangle(?:q|left|right|down)?"
    r"|herefore|op?|ag|hickapprox|hicksim|hinspace|hickspace|wohead(?:left|right)arrow|iny|t|f|g|h|d"
)
_FEEDS = (
    r"abla|eq|otin|exists|eg|mid|onumber|olimits|subset(?:eq)?q?|supset(?:eq)?q?|parallel|leq?|leqslant|geq?|geqslant|eqq"
    r"|less|gtr|prec(?:eq)?|succ(?:eq)?|sim|cong|approx|vdash|Vdash|vDash|VDash|triangle(?:left|right)(?:eq)?"
    r"|earrow|warrow|(?:left|right|leftright)arrow|(?:Left|Right|Leftright)arrow|ormalsize|obreak|ewcommand|ewline|shortmid"
)
_ALWAYS = re.compile(rf"\t(?=(?:{_TABS})(?![A-Za-z]))|\n(?=(?:{_FEEDS})(?![A-Za-z]))")
_OF_SINGLE = re.compile(r"(?<!\\)\n(?=(?:u|e|i|ot|atural)(?![A-Za-z]))")
_MATH = re.compile(r"\$\$.+?\$\$|(?<!\\)\$[^$\n]*(?:\n(?!\s*\n)[^$\n]*)*\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_OPENING = re.compile(r"\A\s*(?:\$\$|\\\[)\n(?=.*\n\s*(?:\$\$|\\\])\s*\Z)", re.DOTALL)
_LETTERS = {"\b": "\\b", "\f": "\\f", "\r": "\\r", "\t": "\\t", "\n": "\\n"}

_ESCAPES = re.compile(r"\\(?:\\(?P<double>[A-Za-z]{2})?|(?P<single>[^\\\"/bfnrtu\s]|u(?![0-9a-fA-F]{4}))|.)", re.DOTALL)


def writes_single_backslashes(answer: str) -> bool:
    r"""Whether LaTeX stands in ``answer``, a text in JSON, with single backslashes: it has more escapes that JSON does
    not know (``\phi``) than commands with an escaped backslash (``\\phi``)."""
    escapes = [(escape["single"], escape["double"]) for escape in _ESCAPES.finditer(answer)]
    singles, doubles = sum(bool(one) for one, _ in escapes), sum(bool(two) for _, two in escapes)
    return singles > doubles


def restored(text: str, *, formula: bool, single: bool = False) -> str:
    """``text`` with the backslashes of LaTeX commands put back; ``formula`` says whether all of it is one, ``single``
    whether its answer writes single backslashes."""
    text = _ANYWHERE.sub(_spelled, text)
    if "\t" not in text and "\n" not in text:
        return text
    if formula:
        return _in_formula(text, single)
    return _MATH.sub(lambda match: _in_formula(match[0], single), text)


def _in_formula(text: str, single: bool) -> str:
    opening = _OPENING.match(text)  # a line of its own for the marks: this feed is one
    start = opening.end() if opening else 0
    rest = _ALWAYS.sub(_spelled, text[start:])
    return text[:start] + (_OF_SINGLE.sub(_spelled, rest) if single else rest)


def _spelled(control: re.Match[str]) -> str:
    return _LETTERS[control[0]]
