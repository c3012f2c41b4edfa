"""Spells mathematical characters as LaTeX commands, as targets do.

A text layer or a recogniser gives ``λ ≤ 2π``; a target that writes formulas writes ``\\lambda \\leq 2\\pi``. The
structure of a formula (fractions, indices) is not guessed: this is one more spelling to copy pieces from.
"""

from __future__ import annotations

import re
import unicodedata

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
