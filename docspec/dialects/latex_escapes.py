r"""Restores LaTeX commands in a JSON string whose backslashes are not escaped: JSON reads control characters.

``\frac`` is read as a form feed and ``rac``, ``\beta`` as a backspace and ``eta``, ``\times`` as a tab and ``imes``. No
page holds form feeds and backspaces; tabs and line breaks may be meant, so that they are looked at in formulas only.
Where a line break and a letter could both be meant (``\nu``) it stays a line break.
"""

from __future__ import annotations

import re

_ANYWHERE = re.compile("[\b\f\r](?=[A-Za-z])")
_IN_FORMULAS = re.compile(
    r"\t(?=(?:ext(?:bf|it|rm|sf|tt|normal)?|imes|heta|au|anh?|ilde|frac|binom|riangle|herefore|op?|ag)(?![A-Za-z]))"
    r"|\n(?=(?:abla|eq|otin|exists|eg|mid|onumber|olimits)(?![A-Za-z]))"
)
_INLINE = re.compile(r"\$[^$]+\$")
_LETTERS = {"\b": "\\b", "\f": "\\f", "\r": "\\r", "\t": "\\t", "\n": "\\n"}


def restored(text: str, *, formula: bool) -> str:
    """``text`` with the backslashes of LaTeX commands put back; ``formula`` says whether all of it is one."""
    text = _ANYWHERE.sub(_spelled, text)
    if formula:
        return _IN_FORMULAS.sub(_spelled, text)
    return _INLINE.sub(lambda found: _IN_FORMULAS.sub(_spelled, found[0]), text) if "\t" in text else text


def _spelled(control: re.Match[str]) -> str:
    return _LETTERS[control[0]]
