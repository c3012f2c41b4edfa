"""Sets pages of prose with formulas in LaTeX, with several typesetters and fonts for mathematics.

LaTeX sets them by itself; typst has them translated by npm's tex2typst; KaTeX and MathJax are printed by Chromium;
LibreOffice sets Word's formulas. What is not installed is not set: :func:`installed` tells what is.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.formulas.drawing import print_page
from benchmarks.formulas.office import print_docx, write_docx

LATEX = {
    "cm": r"\usepackage{amssymb}",
    "lmodern": r"\usepackage{amssymb,lmodern}",
    "mathptmx": r"\usepackage{amssymb,mathptmx}",
    "mathpazo": r"\usepackage{amssymb,mathpazo}",
    "newtx": r"\usepackage{newtxtext,newtxmath}",
    "stix2": r"\usepackage{stix2}",
    "euler": r"\usepackage{amssymb,eulervm}",
    "fourier": r"\usepackage{amssymb,fourier}",
    "libertine": r"\usepackage{libertine,newtxmath}",
    "kpfonts": r"\usepackage{kpfonts}",
    "unicode-math": r"\usepackage{unicode-math}\setmathfont{latinmodern-math.otf}",
}
"""What sets the fonts of a page, for pdflatex (unicode-math: xelatex)."""

BY_NODE = ("typst", "katex", "mathjax")
OFFICE = "libreoffice"
BASE = ("cm", "lmodern", "mathptmx", "mathpazo")
"""Those that TeX Live's base has."""

_LATEX = r"""\documentclass[%dpt]{article}
\usepackage{%s}
\usepackage{amsmath}
%s
\usepackage[a4paper,margin=28mm]{geometry}
\pagestyle{empty}
\begin{document}
%s
\end{document}
"""
_TYPST = "#set page(width: 210mm, height: 297mm, margin: 28mm)\n#set text(size: %dpt)\n#set par(justify: true)\n"
_HTML = """<!doctype html><meta charset="utf-8">%(head)s
<style>@page{size:210mm 297mm;margin:28mm}body{margin:0;font:%(size)dpt "DejaVu Serif",serif;text-align:justify}</style>
<body>%(body)s</body>%(tail)s"""
_KATEX = (
    """<link rel="stylesheet" href="%(node)s/katex/dist/katex.min.css"><script src="%(node)s/katex/dist/katex.min.js">
</script>""",
    """<script>for (const one of document.querySelectorAll("[data-tex]"))
katex.render(one.dataset.tex, one, {displayMode: one.tagName == "DIV", output: "html", strict: "ignore"});</script>""",
)
_MATHJAX = (
    """<script>MathJax = {tex: {inlineMath: [["\\\\(", "\\\\)"]]},
chtml: {matchFontHeight: false}, options: {enableMenu: false}};</script>
<script src="%(node)s/mathjax/es5/tex-chtml.js"></script>""",
    """<script>
for (const one of document.querySelectorAll("[data-tex]"))
one.textContent = one.tagName == "DIV" ? `\\\\[${one.dataset.tex}\\\\]` : `\\\\(${one.dataset.tex}\\\\)`;</script>""",
)


_ARROW = re.compile(r"\\xrightarrow(\{(?:[^{}]|\{[^{}]*\})*\})")
"""What tex2typst does not translate."""


class Paragraph(NamedTuple):
    """Words and formulas within a line by turns, beginning with words, and the formula that stands below."""

    words: Sequence[str]
    inline: Sequence[str]
    displayed: str


def installed(node: Path | None) -> list[str]:
    """The typesetters that can be used, ``node`` being npm's ``node_modules``."""
    names = [name for name in LATEX if shutil.which("pdflatex") and (name in BASE or _has_package(name))]
    if node is not None:
        packages = {"typst": "tex2typst", "katex": "katex", "mathjax": "mathjax"}
        names += [name for name in BY_NODE if (node / packages[name]).is_dir()]
    names += [OFFICE] if shutil.which("soffice") else []
    return names if find_spec("typst") else [name for name in names if name != "typst"]


def _has_package(name: str) -> bool:
    file = {"newtx": "newtxmath", "euler": "eulervm"}.get(name, name)
    return not subprocess.run(["kpsewhich", f"{file}.sty"], capture_output=True, check=False).returncode


def typeset(paragraphs: Sequence[Paragraph], name: str, size: int, work: Path, node: Path | None = None) -> bytes:
    """The PDF of one page in type of ``size`` points, set with the typesetter ``name`` in the folder ``work``. Raises
    ``OSError`` where it is missing, ``subprocess.CalledProcessError`` where it fails."""
    if name in BY_NODE and node is None:
        raise FileNotFoundError(f"{name} needs npm's node_modules")
    if name == "typst":
        assert node is not None
        return _by_typst(paragraphs, size, work, node)
    if name in BY_NODE:
        assert node is not None
        return _by_browser(paragraphs, _KATEX if name == "katex" else _MATHJAX, size, work, node)
    if name == OFFICE:
        write_docx(paragraphs, size, work / "page.docx")
        return print_docx(work / "page.docx").read_bytes()
    return set_by_latex("\n".join(_latex(one) for one in paragraphs), name, size, work)


def set_by_latex(body: str, name: str, size: int, work: Path, preamble: str = "") -> bytes:
    """The PDF of the LaTeX ``body``; the rest is as in :func:`typeset`."""
    unicode = name == "unicode-math"
    source = _LATEX % (size, "iftex" if unicode else "t1enc", LATEX[name] + preamble, body)
    (work / "page.tex").write_text(source, encoding="utf-8")
    program = "xelatex" if unicode else "pdflatex"
    _run([program, "-interaction=nonstopmode", "-halt-on-error", "page.tex"], work)
    return (work / "page.pdf").read_bytes()


def _latex(one: Paragraph) -> str:
    return _text(one, [f"${formula}$" for formula in one.inline]) + f"\n\\[{one.displayed}\\]\n"


def _text(one: Paragraph, formulas: Sequence[str]) -> str:
    parts = [part for pair in zip(one.words, [*formulas, ""], strict=False) for part in pair]
    return " ".join(part for part in parts if part)


def _by_typst(paragraphs: Sequence[Paragraph], size: int, work: Path, node: Path) -> bytes:
    formulas = [formula for one in paragraphs for formula in (*one.inline, one.displayed)]
    formulas = [_ARROW.sub(r"\\overset\1{\\longrightarrow}", formula) for formula in formulas]
    script = f"import {{tex2typst}} from {json.dumps((node / 'tex2typst/dist/index.js').as_uri())};\n"
    script += f"console.log(JSON.stringify({json.dumps(formulas)}.map(one => tex2typst(one))));"
    made = _run(["node", "--input-type=module", "-e", script], work)
    translated = iter([one.replace("times.circle", "times.o") for one in json.loads(made)])  # typst 0.14 renamed it
    text = _TYPST % size
    for one in paragraphs:
        text += _text(one, [f"${next(translated)}$" for _ in one.inline]) + f"\n$ {next(translated)} $\n\n"
    import typst

    return bytes(typst.compile(text.encode()))


def _by_browser(paragraphs: Sequence[Paragraph], scripts: tuple[str, str], size: int, work: Path, node: Path) -> bytes:
    body = "".join(
        f"<p>{_text(one, [_tagged('span', formula) for formula in one.inline])}</p>{_tagged('div', one.displayed)}"
        for one in paragraphs
    )
    head, tail = (script.replace("%(node)s", node.resolve().as_uri()) for script in scripts)
    # MathJax runs when its script is read: what it reads must be there before
    html = _HTML % {"head": "", "tail": tail + head, "size": size, "body": body}
    if scripts is _KATEX:
        html = _HTML % {"head": head, "tail": tail, "size": size, "body": body}
    print_page(html, work / "page.pdf")
    return (work / "page.pdf").read_bytes()


def _tagged(tag: str, formula: str) -> str:
    return f'<{tag} data-tex="{escape(formula)}"></{tag}>'


def _run(command: Sequence[str], work: Path) -> bytes:
    return subprocess.run(command, cwd=work, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
