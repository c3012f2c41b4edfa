"""Makes pages like those of manuals: text that borrows signs from fonts for mathematics, and formulas in blue, so that
each glyph tells whether it is of a formula."""

from __future__ import annotations

import random
import re
import tempfile
from pathlib import Path

from benchmarks.formulas.made import Maker
from benchmarks.formulas.typesetting import set_by_latex

BLUE = 0x0000FF
"""The colour of formulas, as MuPDF tells it."""


def _listed(patterns: str) -> list[str]:
    """Patterns that two spaces or line ends part."""
    return re.split(r" {2}|\n", patterns.strip())


_BORROWED = _listed(r"""
$\langle$\textit{%s}$\rangle$  \texttt{\textbackslash %s}$\{$\textit{%s}$\}$  %s $\rightarrow$ %s
\texttt{%s}=$\langle$\textit{%s}$\rangle$  \textsf{%s} $\triangleright$ \textsf{%s}  %s $\Rightarrow$ %s  \LaTeXe{} %s
$\mathcal{A}\kern-.17em\lower.5ex\hbox{$\mathcal{M}$}\kern-.1em\mathcal{S}$-\TeX{} %s  $\{$%s$|$%s$|$%s$\}$
[$\langle$\textsl{%s}$\rangle$]  %s$^{*}$  %s$^{3}$  %s$^{\dagger}$  1$^{\mathrm{st}}$ %s  $\backslash$\texttt{%s}
$<$%s$>$  \texttt{$\sim$/%s/%s}  \copyright\ %s  \texttt{%s[i] = %s + 2*a;}  \texttt{\&=a\textasciicircum2+2a+1} %s
\textit{e.g.} %s  \emph{%s %s}  \textit{%s}-\textit{%s}  %s 12--15  10$/$21 %s  %s$|$%s  %s $\cdots$ %s  $%s$ %s
$\bullet$ %s  \texttt{%s(a,b)} %s  \textit{%s}(\textit{%s})  %s $\checkmark$  \textbf{%s} \textbf{a} %s  $\ast$ %s
(\textit{%s-%s} .\ pdf)  \texttt{\textbackslash %s(}$\langle$\textit{%s}$\rangle$\texttt{)}  v1.0 %s
\texttt{a}$\,$\texttt{\textasciicircum}$\,$\texttt{b} %s  Knuth (1984, 1986a, b) %s  \textit{%s}/\textit{%s}
\textit{C.E.} %s  \textsf{I.D.} %s  \textbf{a}280 %s  %s $=$$=$$=$$=$  $\backslash fit$ %s  x86 %s  I$\rightarrow$ %s
\texttt{\&=A\_3} %s  \texttt{\textbackslash end\{%s\}} $\rangle$  C\# %s  \textsf{A4} %s  50\,\%% %s
\textit{%s} \& \textit{%s}  $\leftarrow$ \textbf{%s}  \textbf{A}, \textbf{B} %s  H.264 %s  \texttt{%s\_%s} $-$ %s
$\{$\texttt{%s}$\}$  \textit{i.e.} %s  \textit{vs.} %s  $+$ %s  $-$%s  \#1 %s  \texttt{0x1f + %s}
\texttt{A[1..n] = %s}  (a) %s, (b) %s  \textit{a}) %s, \textit{b}) %s  $\ldots$ %s
%s = {\color{blue}$\alpha$}  %s~=~{\color{blue}$n$}  {\color{blue}$a$}-%s  \texttt{%s} = {\color{blue}$\beta$}
\textbackslash %s$\{${\color{blue}$b_{1},\ldots,b_{k}$}$\}$  a + or $-$ %s  the{\color{blue}$\,g$} %s
\texttt{%s}$\,=\,${\color{blue}$x_{i}$}  \textbackslash %s($\langle$\textit{%s}$\rangle$)
""")
_FORMULAS = _listed(r"""
x  n  k  t  \alpha  \Gamma  x_{i}  a_{n,k}  f(x)  (x,y)  n\times m  2^{n}  \mathbf{x}  O(n\log n)  \mathbb{R}
180^{\circ}  a=1  t\in[0,1]  \mathcal{F}  x, y  \frac{1}{2}  a-b  \pm 5  3\times 4  \lambda_{1}  |x|  A
\mathrm{Ad}_{g}  \hat{u}  r^{2}  x\to y  b^{2}-a^{2}
\mathrm{Inner}(\mathcal{A})  \mathrm{Euclid}(a,b)  \mathrm{Area}(ABC)  \mathrm{Proof}(\lambda)
""")
_DISPLAYED = _listed(r"""
\text{%s}=\frac{\text{%s}}{\text{%s}}  \mathrm{%s}=\mathrm{%s}+\mathrm{%s}  x_{i}=0\quad\text{for all %s %s}
\{1,2,3\}  1+2+3=6  \text{%s}\times 100\,\%%=5  7\times 8=56  \Pr(\text{%s})=\text{%s}  \frac{1}{2}+\frac{1}{3}
a<b\text{ and }b<c\text{ if %s}  \min\{\text{%s},\text{%s}\}  \text{%s}\Rightarrow\text{%s}>0  E=mc^{2}
\text{%s}=\text{%s}/\text{%s}  \text{%s %s}=\text{%s}\times\text{%s}  \text{%s}\approx\text{%s}
\text{%s}=\text{%s}-\text{%s}  \text{%s}=10  p(\text{%s}\mid\text{%s})=1
""")
_APART = _listed(r"""
\begin{center}%s\end{center}  \[\mbox{%s}\]  \begin{center}10$/$21\end{center} %s  \[\mbox{-- %s --}\]
\[\mbox{\texttt{\&= A\_3 = %s}}\]  \[\mbox{\texttt{x = a + b;\ \#\ %s}}\]  \[\mbox{\texttt{if (a < 3) %s()}}\]
\[\mbox{\texttt{\textbackslash %s\{\}}}\]
""")
_NAMES = _listed("width  name  colour  option  file  key  value  style  length  section  index  label  output  package")


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
            known = _filled(chance, chance.choice(_DISPLAYED))
            body += f"{{\\color{{blue}}\\[{maker.displayed() if chance.random() < 0.5 else known}\\]}}\n\n"
        elif chance.random() < 0.3:
            apart = chance.choice(_APART)
            body += apart % (chance.choice(_NAMES) if r"\texttt" in apart else _borrowed(chance)) + "\n\n"
    with tempfile.TemporaryDirectory() as work:
        return set_by_latex(body, typesetter, 10 + seed % 3, Path(work), r"\usepackage{xcolor}")


def _formula(chance: random.Random, maker: Maker) -> str:
    latex = chance.choice(_FORMULAS) if chance.random() < 0.8 else maker.inline()
    return f"{{\\color{{blue}}${latex}$}}"


def _borrowed(chance: random.Random) -> str:
    return _filled(chance, chance.choice(_BORROWED))


def _filled(chance: random.Random, pattern: str) -> str:
    return pattern % tuple(chance.choices(_NAMES, k=pattern.count("%s")))
