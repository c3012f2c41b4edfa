"""Arabic letters as presentation forms in visual order: how many older programs write Persian and Arabic into PDFs."""

from __future__ import annotations

import unicodedata

from bidi import get_display

_BLOCKS = (*range(0xFB50, 0xFDFF), *range(0xFE80, 0xFEFD))


def _tables() -> tuple[dict[str, dict[str, str]], dict[str, dict[str, str]]]:
    """Forms (isolated, final, initial, medial) of single letters, and of lam with alef."""
    letters: dict[str, dict[str, str]] = {}
    pairs: dict[str, dict[str, str]] = {}
    for code in _BLOCKS:
        kind, *parts = unicodedata.decomposition(chr(code)).split() or [""]
        text = "".join(chr(int(part, 16)) for part in parts)
        if len(text) == 1:
            letters.setdefault(text, {})[kind.strip("<>")] = chr(code)
        elif len(text) == 2 and text[0] == "ل" and text[1] in "اأإآ":
            pairs.setdefault(text, {})[kind.strip("<>")] = chr(code)
    return letters, pairs


LETTERS, PAIRS = _tables()


def printed(line: str, right_to_left: bool = True) -> str:
    """One line of text as such programs write it: shaped, and from left to right as it stands on paper."""
    return get_display(shaped(line), base_dir="R" if right_to_left else "L").replace("\u200c", "")


def shaped(text: str) -> str:
    """``text`` with every letter in the form that its neighbours give it."""
    out: list[str] = []
    index = 0
    while index < len(text):
        pair = text[index : index + 2]
        unit = pair if pair in PAIRS else text[index]
        forms = PAIRS.get(unit) or LETTERS.get(unit)
        before = (
            index > 0 and "initial" in LETTERS.get(text[index - 1], {}) and text[index - 1 : index + 1] not in PAIRS
        )
        after = index + len(unit) < len(text) and text[index + len(unit)] in LETTERS
        if forms is None:
            out.append(unit)
        else:
            kind = {
                (False, False): "isolated",
                (True, False): "final",
                (False, True): "initial",
                (True, True): "medial",
            }
            wanted = kind[before, after and "initial" in forms]
            out.append(forms.get(wanted) or forms.get("final" if before else "isolated") or unit)
        index += len(unit)
    return "".join(out)
