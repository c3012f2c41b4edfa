"""Texts and formulas as LaTeX."""

from __future__ import annotations

import random

from training.structure.pages.colours import Colour, rgb
from training.structure.pages.text import Text, split_lines

SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "^": r"\^{}",
    "~": r"\textasciitilde{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": r"$-$",
    "–": "--",
    "—": "---",
    "✓": r"\ding{51}",
    "✗": r"\ding{55}",
    "≤": r"$\leq$",
    "·": r"$\cdot$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\rightarrow$",
    "°": r"$^{\circ}$",
    "€": r"\texteuro{}",
    "£": r"\pounds{}",
    "•": r"$\bullet$",
    "◦": r"$\circ$",
    "●": r"$\bullet$",
    "○": r"$\circ$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "§": r"\S{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "\u00a0": "~",
    "\u2003": r"\quad{}",
    "'": "'",
    '"': "''",
    "μ": r"$\mu$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "δ": r"$\delta$",
    "ε": r"$\epsilon$",
    "θ": r"$\theta$",
    "λ": r"$\lambda$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "φ": r"$\phi$",
    "ω": r"$\omega$",
    "Δ": r"$\Delta$",
    "Σ": r"$\Sigma$",
    "Ω": r"$\Omega$",
}

WRAPS = {
    "b": r"\textbf{%s}",
    "i": r"\textit{%s}",
    "u": r"\underline{%s}",
    "m": r"\texttt{%s}",
    "^": r"\textsuperscript{%s}",
    "_": r"$_{\mathrm{%s}}$",
}


def escaped(characters: str) -> str:
    """Characters as LaTeX sets them in text."""
    return "".join(SIGNS.get(character, character) for character in characters)


def line(text: Text) -> str:
    """A text without breaks."""
    parts = []
    for characters, style in text:
        part = escaped(characters)
        if style[-1:] == "_" or "_" in style:
            part = part.replace("$", "").replace("--", "-") if "$" in part else part
        for letter in sorted(style, key="^_mubi".index):
            part = WRAPS[letter] % part if part else ""
        parts.append(part)
    return "".join(parts)


def lines(text: Text) -> list[str]:
    """The text's lines."""
    return [line(one) for one in split_lines(text)]


def inked(colour: Colour, content: str) -> str:
    """Content in its colour."""
    return f"\\Ink{{{rgb(colour)}}}{{{content}}}"


def formula(seed: str) -> str:
    """A formula of sums, fractions, matrices and cases."""
    rng = random.Random(seed)
    letters = [
        *"xyzabnkpqrstuvwXYZABF",
        r"\alpha",
        r"\beta",
        r"\theta",
        r"\lambda",
        r"\sigma",
        r"\mathbf{x}",
        r"\mathcal{L}",
        r"\hat{y}",
        r"\phi",
    ]

    def atom() -> str:
        letter = rng.choice(letters)
        return letter + rng.choice(("", "", "_{i}", "_{t-1}", "^{2}", "_{ij}", "^{(k)}", r"_{\max}"))

    def term(depth: int) -> str:
        kind = rng.randrange(9 if depth else 3)
        if kind < 3:
            return rng.choice((atom(), f"{rng.randint(2, 9)}{atom()}", f"{atom()}({atom()})"))
        inner = term(depth - 1)
        return (
            rf"\frac{{{inner}}}{{{term(depth - 1)}}}",
            rf"\sum_{{i=1}}^{{n}} {inner}",
            rf"\int_{{0}}^{{\infty}} {inner}\,dx",
            rf"\left( {inner} + {atom()} \right)",
            rf"\sqrt{{{inner}}}",
            rf"\exp\left(-{inner}\right)",
        )[kind - 3]

    kind = rng.random()
    if kind < 0.12:
        size = rng.choice((2, 3, 4))
        return (
            atom()
            + r" = \begin{pmatrix}"
            + r"\\".join("&".join(atom() for _ in range(size)) for _ in range(size))
            + r"\end{pmatrix}"
        )
    if kind < 0.22:
        return (
            atom()
            + r" = \begin{cases}"
            + r"\\".join(rf"{term(1)} & \text{{if }} {atom()} > 0" for _ in range(rng.choice((2, 3))))
            + r"\end{cases}"
        )
    if kind < 0.4:
        return (
            r"\begin{aligned}"
            + r"\\".join(f"{atom()} &= {term(1)} + {term(1)}" for _ in range(rng.choice((2, 3, 4))))
            + r"\end{aligned}"
        )
    sign = rng.choice(("=", "=", r"\leq", r"\approx"))
    return f"{atom()} {sign} " + f" {rng.choice('+-')} ".join(
        term(rng.choice((1, 2))) for _ in range(rng.choice((1, 2, 3)))
    )
