r"""Makes pages like those of manuals in LaTeX: text that borrows signs from fonts for mathematics, and formulas in blue,
so that each glyph tells whether it is of a formula."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from benchmarks.formulas.made import Maker
from benchmarks.formulas.typesetting import set_by_latex

BLUE = 0x0000FF
"""The colour of formulas, as MuPDF tells it."""

_BORROWED = (
    r"$\langle$\textit{%s}$\rangle$", r"\texttt{\textbackslash %s}$\{$\textit{%s}$\}$", r"%s $\rightarrow$ %s",
    r"\texttt{%s}=$\langle$\textit{%s}$\rangle$", r"\textsf{%s} $\triangleright$ \textsf{%s}", r"%s $\Rightarrow$ %s",
    r"\LaTeXe{} %s", r"$\mathcal{A}\kern-.17em\lower.5ex\hbox{$\mathcal{M}$}\kern-.1em\mathcal{S}$-\TeX{} %s",
    r"$\{$%s$|$%s$|$%s$\}$", r"[$\langle$\textsl{%s}$\rangle$]", r"%s$^{*}$", r"%s$^{3}$", r"%s$^{\dagger}$",
    r"1$^{\mathrm{st}}$ %s", r"$\backslash$\texttt{%s}", r"$<$%s$>$", r"\texttt{$\sim$/%s/%s}", r"\copyright\ %s",
    r"\texttt{%s[i] = %s + 2*a;}", r"\texttt{\&=a\textasciicircum2+2a+1} %s", r"\textit{e.g.} %s", r"\emph{%s %s}",
    r"\textit{%s}-\textit{%s}", r"%s 12--15", r"10$/$21 %s", r"%s$|$%s", r"%s $\cdots$ %s", r"$%s$ %s", r"$\bullet$ %s",
    r"\texttt{%s(a,b)} %s", r"\textit{%s}(\textit{%s})", r"%s $\checkmark$", r"\textbf{%s} \textbf{a} %s", r"$\ast$ %s",
    r"(\textit{%s-%s} .\ pdf)", r"\texttt{\textbackslash %s(}$\langle$\textit{%s}$\rangle$\texttt{)}", r"v1.0 %s",
    r"\texttt{a}$\,$\texttt{\textasciicircum}$\,$\texttt{b} %s", r"Knuth (1984, 1986a, b) %s", r"\textit{%s}/\textit{%s}",
    r"\textit{C.E.} %s", r"\textsf{I.D.} %s", r"\textbf{a}280 %s", r"%s $=$$=$$=$$=$", r"$\backslash fit$ %s", r"x86 %s",
    r"I$\rightarrow$ %s", r"\texttt{\&=A\_3} %s", r"\texttt{\textbackslash end\{%s\}} $\rangle$", r"C\# %s", r"\textsf{A4} %s",
    r"50\,\%% %s", r"\textit{%s} \& \textit{%s}", r"$\leftarrow$ \textbf{%s}", r"\textbf{A}, \textbf{B} %s", r"H.264 %s",
    r"\texttt{%s\_%s} $-$ %s", r"$\{$\texttt{%s}$\}$", r"\textit{i.e.} %s", r"\textit{vs.} %s", r"$+$ %s", r"$-$%s", r"\#1 %s",
    r"\texttt{0x1f + %s}", r"\texttt{A[1..n] = %s}", r"(a) %s, (b) %s", r"\textit{a}) %s, \textit{b}) %s", r"$\ldots$ %s",
)  # fmt: skip
_FORMULAS = (
    "x", "n", "k", "t", r"\alpha", r"\Gamma", "x_{i}", "a_{n,k}", "f(x)", "(x,y)", r"n\times m", "2^{n}", r"\mathbf{x}",
    r"O(n\log n)", r"\mathbb{R}", r"180^{\circ}", "a=1", r"t\in[0,1]", r"\mathcal{F}", "x, y", r"\frac{1}{2}", "a-b",
    r"\pm 5", r"3\times 4", r"\lambda_{1}", "|x|", "A", r"\mathrm{Ad}_{g}", r"\hat{u}", "r^{2}", r"x\to y", "b^{2}-a^{2}",
)  # fmt: skip
_APART = (r"\begin{center}%s\end{center}", r"\[\mbox{%s}\]", r"\begin{center}10$/$21\end{center} %s", r"\[\mbox{-- %s --}\]",
          r"\[\mbox{\texttt{\&= A\_3 = %s}}\]", r"\[\mbox{\texttt{x = a + b;\ \#\ %s}}\]", r"\[\mbox{\texttt{if (a < 3) %s()}}\]",
          r"\[\mbox{\texttt{\textbackslash %s\{\}}}\]")  # fmt: skip
_NAMES = "width name colour option file key value style length section index label output package".split()


def make_page(seed: int, typesetter: str) -> bytes:
    """One page in PDF. Raises as :func:`benchmarks.formulas.typesetting.typeset` does."""
    chance, maker = random.Random(seed), Maker(seed)
    body = ""
    for _ in range(16):
        words = [maker.prose(chance.randint(1, 6)) for _ in range(4)]
        for at in range(3):
            words[at] += f" {_formula(chance, maker) if chance.random() < 0.5 else _borrowed(chance)}"
        body += " ".join(words) + ".\n\n"
        if chance.random() < 0.3:
            body += f"{{\\color{{blue}}\\[{maker.displayed() if chance.random() < 0.7 else chance.choice(_FORMULAS)}\\]}}\n\n"
        elif chance.random() < 0.3:
            apart = chance.choice(_APART)
            body += apart % (chance.choice(_NAMES) if r"\texttt" in apart else _borrowed(chance)) + "\n\n"
    with tempfile.TemporaryDirectory() as work:
        return set_by_latex(body, typesetter, 10 + seed % 3, Path(work), r"\usepackage{xcolor}")


def _formula(chance: random.Random, maker: Maker) -> str:
    latex = chance.choice(_FORMULAS) if chance.random() < 0.8 else maker.inline()
    return f"{{\\color{{blue}}${latex}$}}"


def _borrowed(chance: random.Random) -> str:
    pattern = chance.choice(_BORROWED)
    return pattern % tuple(chance.choices(_NAMES, k=pattern.count("%s")))
