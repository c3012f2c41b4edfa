"""Raised and lowered figures, signs and single letters as characters of their own (10⁶, 1,357¹, CO₂): no format and no
operation on a text can then make them a part of the number that they stand at."""

from __future__ import annotations

import re
from collections.abc import Callable

RAISED = dict(
    zip("0123456789+-−=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True)
)
LOWERED = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))

_UP = {high: low for low, high in RAISED.items() if low != "−"}
_DOWN = {high: low for low, high in LOWERED.items() if low != "−"}
_PLAIN = str.maketrans(_UP | _DOWN)
_RUN = re.compile(f"([{''.join(_UP)}]+)|([{''.join(_DOWN)}]+)")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_ONLY = re.compile(r"[\w+\-−–=(),.;:*†‡§¶‖#\s]+")


def raised(text: str) -> str:
    """``text``, printed raised, in raised characters; a word, signs alone, and what has no raised form stay."""
    return _spelled(text, RAISED)


def lowered(text: str) -> str:
    """``text``, printed lowered, in lowered characters: figures and signs."""
    return _spelled(text, LOWERED)


def plain(text: str) -> str:
    """``text`` with ordinary characters for raised and lowered ones, one for one."""
    return text.translate(_PLAIN)


def has_raised(text: str) -> bool:
    """Whether ``text`` holds raised or lowered characters."""
    return _RUN.search(text) is not None


def respelled(text: str, up: Callable[[str], str], down: Callable[[str], str]) -> str:
    """``text`` with each run of raised characters as ``up``, of lowered ones as ``down`` spells its ordinary ones."""
    return _RUN.sub(lambda run: up(plain(run[1])) if run[1] else down(plain(run[2])), text)


def _spelled(text: str, letters: dict[str, str]) -> str:
    signs = [sign for sign in text if sign.isalnum()]
    if not signs or _WORDS.search(text) or not _ONLY.fullmatch(text) or any(sign not in letters for sign in signs):
        return text
    return "".join(letters.get(sign, sign) for sign in text)
