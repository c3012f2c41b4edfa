"""A text as words that can be compared whatever it is written in: Markdown, HTML, LaTeX or none of them.

Markup is no word: tags, emphasis, table bars, list marks, brackets of formulas, commands that only set how things
look. A LaTeX command that stands for a character counts as that character. Every other printed character belongs to
a word, so that no difference in what is said goes unseen; capitals count, and so does the minus of a number (other
dashes are punctuation that drafts and targets set as they like).
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from typing import NamedTuple

_TABLE = r"""
α\alpha β\beta γ\gamma δ\delta ε\epsilon ζ\zeta η\eta θ\theta ι\iota κ\kappa λ\lambda μ\mu ν\nu ξ\xi
π\pi ρ\rho σ\sigma τ\tau υ\upsilon φ\phi χ\chi ψ\psi ω\omega Γ\Gamma Δ\Delta Θ\Theta Λ\Lambda Ξ\Xi Π\Pi
Σ\Sigma Υ\Upsilon Φ\Phi Ψ\Psi Ω\Omega ϵ\epsilon ϑ\vartheta ϕ\phi ϖ\varpi ϱ\varrho ς\varsigma ≤\leq ≥\geq
≠\neq ≈\approx ≡\equiv ∼\sim ≅\cong ∝\propto ≪\ll ≫\gg ×\times ÷\div ±\pm ∓\mp ·\cdot ⋅\cdot ∗\ast
∘\circ ∑\sum ∏\prod ∫\int ∮\oint ∂\partial ∇\nabla √\sqrt ∞\infty ∈\in ∉\notin ∋\ni ⊂\subset ⊆\subseteq
⊃\supset ⊇\supseteq ∪\cup ∩\cap ∅\emptyset ∀\forall ∃\exists ¬\neg ∧\wedge ∨\vee ⊕\oplus ⊗\otimes →\to
←\leftarrow ↔\leftrightarrow ⇒\Rightarrow ⇐\Leftarrow ⇔\Leftrightarrow ↦\mapsto ⟨\langle ⟩\rangle
⌊\lfloor ⌋\rfloor ⌈\lceil ⌉\rceil ∥\parallel ∠\angle ⊥\perp …\ldots ⋯\cdots ℓ\ell ℏ\hbar
"""

_COMMANDS = {entry[0]: entry[1:] for entry in _TABLE.split()} | {"−": "-", "′": "'"}
_MEANT = {command: sign for sign, command in reversed(_COMMANDS.items()) if command[0] == "\\"}
_SIGNS = re.compile("[" + re.escape("".join(_COMMANDS)) + "]")
_TELLING = re.compile("[" + re.escape("".join(sign for sign in _COMMANDS if sign not in "…·−′")) + "]")
_STYLED = re.compile("[\U0001d400-\U0001d7ff]")


def sign_of(command: str) -> str | None:
    """The character that a LaTeX command such as ``\\alpha`` stands for; ``None`` for one that sets how things look."""
    return _MEANT.get(command)


def latex_symbols(text: str) -> str:
    """``text`` with LaTeX commands for mathematical characters; unchanged if none of them is mathematical only.

    A command is followed by a space where a letter or digit comes next. Letters of the mathematical alphabets
    (``𝑥``) become plain ones.
    """
    text = _STYLED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    if not _TELLING.search(text):
        return text
    return _SIGNS.sub(lambda match: _command(match[0], text[match.end() : match.end() + 1]), text)


def _command(sign: str, following: str) -> str:
    command = _COMMANDS[sign]
    return command + " " if command[-1].isalpha() and following.isalnum() else command


_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTERS = rf"(?:[0-9A-Za-z]++|(?![{_UNSPACED}])[^\W_])++"
_TOKEN = re.compile(
    rf"""(?P<word> {_LETTERS} (?: [.,:'’/@\-\u2010\u2011] {_LETTERS} )*+ | [^\W_]
        | (?<![^\s(\[$=<>|,]) [-−–] \d++ (?: [.,] \d++ )*+ )
    | (?P<skip> </?[A-Za-z][^<>]{{0,300}}> | \]\([^()\s]{{0,500}}\) | !\[ | \\(?:begin|end)\{{[^{{}}]{{0,40}}\}} )
    | (?P<command> \\[A-Za-z]+ )
    | (?P<entity> &(?:[A-Za-z]{{2,8}}|\#\d{{1,6}}); )
    | (?P<sign> [^\s\w] )""",
    re.VERBOSE,
)
_CONTROL = frozenset(map(chr, (*range(32), 127)))
_MARKUP = _CONTROL | frozenset("*_#|`$\\~>{}^[]&•●◦▪■‣∙○□\u00ad\u200b\u200c\u2060\ufeff-−–—")
_SAME = str.maketrans("‘’‚ʼ“”„−–\u2010\u2011", "''''\"\"\"----")


class Word(NamedTuple):
    """``key`` is what is compared; ``start`` and ``end`` are its characters in the text."""

    key: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of ``text`` in order."""
    words: list[Word] = []
    for match in _TOKEN.finditer(text):
        kind, key = match.lastgroup, match[0]
        if kind == "skip" or (kind == "sign" and key in _MARKUP):
            continue
        if kind == "command":
            sign = sign_of(key)
            if sign is None:
                continue
            key = sign
        elif kind == "entity":
            key = unescape(key)
            if key in _MARKUP or key.isspace():
                continue
        if not key.isascii():
            key = unicodedata.normalize("NFKC", key).translate(_SAME)
        words.append(Word(key, match.start(), match.end()))
    return words
