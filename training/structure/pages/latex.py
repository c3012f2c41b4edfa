"""Sets made pages with pdflatex, many in one run; what a page does not hold flows to the next as in any document."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from training.structure.pages import business
from training.structure.pages.colours import Palette, rgb
from training.structure.pages.latex_tables import Tabular, boxed
from training.structure.pages.latex_text import escaped, formula, inked, line, lines
from training.structure.pages.marking import ALIGNED
from training.structure.pages.page import Block, Group, Page, Part, TableBlock
from training.structure.pages.paper import made
from training.structure.pages.text import Text
from training.structure.pages.words import Writer

PREAMBLE = r"""
\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{textcomp}
\usepackage[table]{xcolor}
\usepackage{amsmath,amssymb,pifont,graphicx,array,booktabs,multirow,makecell,tabularx,tabulary,multicol,siunitx,hhline,wrapfig,rotating}
\setlength{\parskip}{0pt}\sloppy\hbadness10000\vbadness10000\hfuzz500pt\vfuzz500pt\emergencystretch2em
\newcommand{\Ink}[2]{\leavevmode\begingroup\color[RGB]{#1}#2\endgroup}
\newsavebox{\TB}
\newcommand{\Tall}[1]{\ifdim\dimexpr\ht\TB+\dp\TB\relax>0.88\textheight\resizebox*{!}{0.88\textheight}{#1}\else#1\fi}
\newcommand{\Fit}[1]{\sbox{\TB}{#1}\ifdim\wd\TB>\linewidth\sbox{\TB}{\resizebox{\linewidth}{!}{\usebox{\TB}}}\fi\Tall{\usebox{\TB}}}
\newcommand{\Wide}[1]{\sbox{\TB}{#1}\ifdim\wd\TB>0.6\linewidth\sbox{\TB}{\resizebox{\linewidth}{!}{\usebox{\TB}}}\fi\Tall{\usebox{\TB}}}
\newcommand{\Turned}[1]{\sbox{\TB}{\rotatebox{90}{#1}}\ifdim\wd\TB>\linewidth\sbox{\TB}{\resizebox{\linewidth}{!}{\usebox{\TB}}}\fi\Tall{\usebox{\TB}}}
\makeatletter
\def\ps@mine{\def\@oddhead{\hbox to\textwidth{\small\runhead}}%
\def\@oddfoot{\hbox to\textwidth{\small\runfoot}}\let\@evenhead\@oddhead\let\@evenfoot\@oddfoot}
\makeatother\pagestyle{mine}
\def\runhead{}\def\runfoot{}
"""
FONTS = (
    "",
    "",
    "",
    r"\usepackage{lmodern}",
    r"\usepackage{mathptmx}",
    r"\usepackage{mathptmx}",
    r"\usepackage{palatino}",
    r"\usepackage{charter}",
    r"\usepackage{utopia}",
    r"\usepackage{bookman}",
    r"\usepackage{newcent}",
    r"\usepackage{helvet}\renewcommand{\familydefault}{\sfdefault}",
    r"\usepackage{avant}",
    r"\usepackage{lmodern}\renewcommand{\familydefault}{\sfdefault}",
)
FAMILIES = ("",) * 8 + ("ptm", "phv", "ppl", "lmss", "lmr", "pcr", "bch", "lmtt")
OFFICE = 0.15  # of pages are those of offices


class Setter:
    """Writes the pages of one run; numbers of tables and blocks go on from page to page."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.palette = Palette(rng)
        self.writer = Writer(rng)
        self.narrow = False
        self.tables: list[dict[str, object]] = []
        self.blocks = 0
        self.order = 0

    def document(self, pages: list[Page]) -> str:
        """The whole source."""
        rng = self.rng
        size = rng.choice((10, 10, 10, 11, 12))
        paper = rng.choice(
            (
                "a4paper",
                "a4paper",
                "letterpaper",
                "letterpaper",
                "letterpaper",
                "a4paper",
                "a4paper",
                "b5paper",
                "a5paper",
            )
        )
        sides, ends = rng.uniform(12, 32), rng.uniform(14, 30)
        if paper in ("a5paper", "b5paper"):
            sides /= 1.6
        margins = (
            f"\\usepackage[{paper},left={sides:.0f}mm,"
            f"right={sides * rng.choice((1, 1, 1.3)):.0f}mm,top={ends + 8:.0f}mm,"
            f"bottom={ends + 8:.0f}mm]{{geometry}}"
        )
        families = rng.choice(FONTS)
        spread = rng.choice(("", "", "", r"\linespread{1.1}", r"\linespread{1.3}", r"\linespread{0.95}"))
        body = "\n".join(self.page(page) for page in pages)
        return (
            f"\\documentclass[{size}pt]{{article}}\n{margins}\n{families}{PREAMBLE}{spread}"
            f"\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
        )

    def block(self, kind: str, content: str, pair: int = -1) -> str:
        """Content in a colour of its own, entered as a block."""
        return inked(self.palette.new(self.entry(kind, pair)), content)

    def entry(self, kind: str, pair: int = -1) -> dict[str, object]:
        """The next block."""
        entry: dict[str, object] = {"kind": kind, "block": self.blocks, "order": self.order}
        if pair >= 0:
            entry["pair"] = pair
        self.blocks += 1
        self.order += 1
        return entry

    def page(self, page: Page) -> str:
        """One page, from a new one on."""
        rng = self.rng
        head, foot = (self._furniture(parts) for parts in (page.head, page.foot))
        start, self.narrow = r"\onecolumn", page.columns > 1
        wide = "".join(self.part(part) for part in page.wide)
        if page.columns == 2:
            start = (
                f"\\setlength{{\\columnsep}}{{{rng.choice((8, 12, 16, 20, 26))}"
                f"pt}}\\setlength{{\\columnseprule}}{{{rng.choice((0, 0, 0, 0.4))}"
                f"pt}}\\twocolumn"
            ) + (f"[{{{wide}\\vspace{{8pt}}}}]" if wide else "")
            wide = ""
        family = rng.choice(FAMILIES)
        font = f"\\fontfamily{{{family}}}\\selectfont" if family else ""
        indent = (
            f"\\setlength{{\\parindent}}{{{rng.choice((0, 0, 10, 15, 20))}"
            f"pt}}\\setlength{{\\parskip}}{{{rng.choice((0, 0, 2, 4, 6, 9))}pt}}"
        )
        body = "\n".join(self.part(part) for part in page.parts)
        if page.columns == 3:
            body = f"\\begin{{multicols}}{{3}}{body}\\end{{multicols}}"
        return (
            f"\\clearpage{start}\n\\gdef\\runhead{{{head}}}\\gdef\\runfoot{{{foot}"
            f"}}\n{{{indent}{font}{wide}\n{body}\n\\par}}\n"
        )

    def _furniture(self, parts: tuple[str, str, str]) -> str:
        left, middle, right = (self.block("furniture", escaped(part)) if part else "" for part in parts)
        return f"{left}\\hfil {middle}\\hfil {right}"

    def part(self, part: Part) -> str:
        """Any part, as paragraphs of its own."""
        if isinstance(part, TableBlock):
            return self.table(part)
        if isinstance(part, Group):
            return self.group(part)
        return self.single(part)

    def single(self, block: Block) -> str:
        """A block that is not in a list."""
        rng = self.rng
        if block.kind == "heading":
            size = {1: r"\Large", 2: r"\large", 3: r"\normalsize"}[block.level or 2]
            style = rng.choice((r"\bfseries", r"\bfseries", r"\itshape", r"\scshape", ""))
            return (
                f"\\par\\medskip\\noindent{{{size}{style} "
                f"{self.block('heading', line(block.text))}\\par}}\\nopagebreak\\smallskip"
            )
        if block.kind == "formula":
            number = f"\\tag*{{{block.label}}}" if block.label else ""
            colour = self.palette.new({"kind": "formula", "block": self.blocks, "order": self.order})
            self.blocks += 1
            self.order += 1
            content = f"\\[{formula(block.text[0][0])}{number}\\]"
            return f"\n\\begingroup\\color[RGB]{{{rgb(colour)}}}{content}\\endgroup\n"
        if block.kind in ("code", "address"):
            ragged = (
                "raggedright"
                if block.kind == "code"
                else {"left": "raggedright", "center": "centering"}[rng.choice(ALIGNED)]
            )
            entry = self.entry(block.kind)
            inks = [inked(self.palette.new(entry | {"line": n}), one or "~") for n, one in enumerate(lines(block.text))]
            inner = r"\\\relax ".join(inks)
            size = rng.choice((r"\small", r"\footnotesize", r"\normalsize")) if block.kind == "code" else ""
            return f"\\par{{\\{ragged}\\parindent0pt\\noindent{size} {inner}\\par}}\\smallskip"
        ragged = {"centred": r"\centering", "small": r"\noindent\scriptsize"}.get(block.kind, "")
        return f"\\par{{{ragged} {self.block(block.kind, line(block.text), block.pair)}\\par}}"

    def group(self, group: Group) -> str:
        """Parts in their layout."""
        return {
            "list": self._list,
            "options": self._options,
            "beside": self._beside,
            "pairs": self._pairs,
            "above": self._pairs,
            "contents": self._contents,
            "figure": self._figure,
            "flow": self._flow,
            "box": self._box,
            "float": self._float,
        }[group.layout](group)

    def _flow(self, group: Group) -> str:
        body = "".join(self.part(part) for part in group.parts[0])
        if group.columns < 2:
            return body
        gap = self.rng.choice((8, 12, 18))
        begin = f"\\par{{\\setlength{{\\columnsep}}{{{gap}pt}}\\begin{{multicols}}{{{group.columns}}}"
        return f"{begin}{body}\\end{{multicols}}}}"

    def _box(self, group: Group) -> str:
        body = "".join(self.part(part) for part in group.parts[0])
        inner = f"\\begin{{minipage}}{{\\dimexpr\\linewidth-2\\fboxsep-2\\fboxrule\\relax}}{body}\\end{{minipage}}"
        look = self.rng.choice((r"\fbox", r"\colorbox[gray]{0.93}", r"\fcolorbox[gray]{0.5}{0.95}"))
        return f"\\par\\smallskip\\noindent{look}{{{inner}}}\\par\\smallskip "

    def _float(self, group: Group) -> str:
        body = self._box(Group("box", group.parts[:1]))
        around = "".join(map(self.part, group.parts[1]))
        width = self.rng.uniform(0.25, 0.42)
        begin = f"\\par\\begin{{wrapfigure}}{{{self.rng.choice('lrr')}}}{{{width:.2f}\\linewidth}}"
        return f"{begin}{body}\\end{{wrapfigure}}{around}\\par "

    def _list(self, group: Group) -> str:
        rng = self.rng
        tight = (
            f"\\itemsep{rng.choice((0, 0, 1, 3))}pt\\parsep0pt"
            f"\\topsep{rng.choice((0, 3, 6))}pt\\leftmargin{rng.choice((12, 18, 25))}pt"
            f"\\labelwidth{rng.choice((10, 16))}pt"
        )
        source = []
        for item in group.parts[0]:
            assert isinstance(item, Block)
            entry = {"kind": "item", "block": self.blocks, "order": self.order}
            self.blocks += 1
            self.order += 1
            colour = self.palette.new(entry)
            source.append(f"\\item[{inked(colour, escaped(item.label))}] {inked(colour, line(item.text))}")
        body = f"\\begin{{list}}{{}}{{{tight}}}\n" + "\n".join(source) + "\\end{list}"
        return (
            f"\\begin{{multicols}}{{{group.columns}}}\\raggedright {body}\\end{{multicols}}"
            if group.columns > 1
            else body
        )

    def _options(self, group: Group) -> str:
        """Answers side by side, row by row."""
        boxes = []
        for item in group.parts[0]:
            assert isinstance(item, Block)
            content = self.block("item", f"{escaped(item.label)} {line(item.text)}")
            boxes.append(f"\\parbox[t]{{{0.97 / group.columns:.3f}\\linewidth}}{{\\raggedright {content}}}")
        rows = [r"\hfill ".join(boxes[n : n + group.columns]) for n in range(0, len(boxes), group.columns)]
        return "".join(f"\\par\\noindent {row}\\par" for row in rows) + "\\medskip"

    def _beside(self, group: Group) -> str:
        whole = self.rng.uniform(0.85, 0.98)
        shares = group.widths or (1.0,) * len(group.parts)
        top = (
            self.rng.choice("ttcb")
            if any(isinstance(part, TableBlock) for column in group.parts for part in column)
            else "t"
        )
        boxes = [
            (
                f"\\begin{{minipage}}[{top}]{{{whole * share / sum(shares):.3f}"
                f"\\linewidth}}{''.join(self.part(part) for part in column)}\\end{{minipage}}"
            )
            for share, column in zip(shares, group.parts, strict=True)
        ]
        return "\\par\\medskip\\noindent " + r"\hfill ".join(boxes) + "\\par\\medskip"

    def _pairs(self, group: Group) -> str:
        rng, boxes = self.rng, []
        width = 0.96 / group.columns
        share = rng.uniform(0.3, 0.55)
        side = rng.choice((r"\raggedright ", r"\raggedright ", r"\raggedleft "))
        bold, stretch = rng.random() < 0.4, rng.choice((0, 0, 2, 5))
        for column in group.parts:
            rows = []
            for label, value in zip(column[::2], column[1::2], strict=True):
                assert isinstance(label, Block) and isinstance(value, Block)
                name = self.block("label", line(label.text), label.pair)
                name = f"\\textbf{{{name}}}" if bold else name
                text = self.block("value", line(value.text), value.pair)
                if group.layout == "above":
                    rows.append(
                        f"\\noindent{{\\scriptsize {name}}}\\par\\noindent {text}\\par\\vspace{{{stretch + 2}pt}}"
                    )
                else:
                    rows.append(
                        f"\\noindent\\parbox[t]{{{share:.2f}\\linewidth}}{{{side}{name}"
                        f"}}\\hspace{{6pt}}\\parbox[t]{{{0.94 - share:.2f}\\linewidth}}{{\\raggedright "
                        f"{text}}}\\par\\vspace{{{stretch}pt}}"
                    )
            boxes.append(f"\\begin{{minipage}}[t]{{{width:.3f}\\linewidth}}{''.join(rows)}\\end{{minipage}}")
        return "\\par\\medskip\\noindent " + r"\hfill ".join(boxes) + "\\par\\medskip"

    def _contents(self, group: Group) -> str:
        rng, source = self.rng, []
        leader, gap = rng.choice((r"\dotfill", r"\dotfill", r"\hfill")), rng.choice((0, 2, 4))
        for entry in group.parts[0]:
            assert isinstance(entry, Block)
            content = f"{line(entry.text)} {leader}{{}} {escaped(entry.label)}"
            style = r"\bfseries" if entry.level == 0 and gap else ""
            source.append(
                f"\\par\\noindent{{{style}\\hspace*{{{15 * entry.level}"
                f"pt}}{self.block('entry', content)}\\par}}\\vspace{{{gap}pt}}"
            )
        return "\n".join(source)

    def _figure(self, group: Group) -> str:
        rng, marks = self.rng, []
        bars = rng.randint(3, 7)
        for n in range(bars):
            place = int(180 * n / bars) + 20
            height = rng.randint(5, 90)
            marks.append(f"\\put({place},12){{\\textcolor{{gray}}{{\\rule{{12pt}}{{{height}pt}}}}}}")
            marks.append(
                f"\\put({place},2){{\\tiny "
                f"{self.block('figure', escaped(self.rng.choice(('A', 'B', '2010', 'low', 'high', str(n), 'mean'))))}"
                f"}}"
            )
            if rng.random() < 0.5:
                marks.append(
                    f"\\put({place},{height + 14}){{\\tiny {self.block('figure', f'{rng.random() * 100:.1f}')}}}"
                )
        marks += [f"\\put(0,{12 + 20 * n}){{\\tiny {self.block('figure', str(20 * n))}}}" for n in range(5)]
        caption = group.parts[0][0]
        assert isinstance(caption, Block)
        return (
            f"\\begin{{center}}\\setlength{{\\unitlength}}{{1pt}}\\begin{{picture}}(205,"
            f"112){''.join(marks)}\\end{{picture}}\n\n{{\\small "
            f"{self.block('caption', line(caption.text))}\\par}}\\end{{center}}"
        )

    def table(self, block: TableBlock) -> str:
        """A table between its caption and its notes."""
        rng, number = self.rng, len(self.tables)
        self.tables.append({})
        caption = self._caption(block.caption) if block.caption and not block.caption_below else ""
        order = self.order
        self.order += 1
        tabular = Tabular(rng, block.table, self.palette, number, 42 if self.narrow else 85)
        source = boxed(rng, tabular.source(), tabular.look.size)
        table = block.table
        self.tables[number] = {
            "rows": table.rows,
            "columns": len(table.columns),
            "head_rows": table.head_rows,
            "order": order,
            "cells": [[cell.row, cell.column, cell.rows, cell.columns, int(cell.head)] for cell in table.cells],
        }
        notes = "".join(
            f"\\par\\noindent{{\\footnotesize {self.block('note', line(note))}\\par}}" for note in table.notes
        )
        below = self._caption(block.caption) if block.caption and block.caption_below else ""
        place = rng.choice((r"\centering", r"\centering", r"\centering", r"\raggedright"))
        gap = rng.choice((2, 6, 10, 14))
        if (
            len(table.columns) <= 4
            and table.rows < 12
            and "text" not in table.columns
            and not self.narrow
            and rng.random() < 0.15
        ):
            side = rng.choice("rl")
            more = f"\n\\noindent {self.block('paragraph', escaped(self.writer.paragraph(900)))}\\par"
            return (
                f"\\par\\begin{{wraptable}}{{{side}}}{{0.48\\linewidth}}\n{caption}"
                f"{{\\centering {source}\\par}}{notes}{below}\\end{{wraptable}}{more}\n"
            )
        return (
            f"\\par\\vspace{{{gap}pt}}\\noindent"
            f"\\begin{{minipage}}{{\\linewidth}}\\parindent0pt\n{caption}{{{place} {source}"
            f"\\par}}{notes}{below}\\end{{minipage}}\\par\\vspace{{{gap}pt}}\n"
        )

    def _caption(self, caption: Text) -> str:
        size, place = self.rng.choice(("", r"\small", r"\footnotesize")), self.rng.choice((r"\centering", ""))
        return (
            f"{{{size}{place} {self.block('caption', line(caption))}\\par}}\\vspace{{{self.rng.choice((2, 4, 6))}pt}}"
        )


def run(source: str, folder: Path, name: str) -> tuple[Path, list[str]]:
    """The PDF of a LaTeX source, and the errors of its log."""
    (folder / f"{name}.tex").write_text(source, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", f"{name}.tex"]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=False)
    log = (folder / f"{name}.log").read_text(encoding="latin-1")
    return folder / f"{name}.pdf", [one for one in log.splitlines() if one.startswith("!")]


def typeset(rng: random.Random, count: int, folder: Path, name: str) -> tuple[Path, Setter]:
    """About `count` pages and what their colours stand for."""
    setter = Setter(rng)
    pages = [business.made(rng) if rng.random() < OFFICE else made(rng) for _ in range(count)]
    source = setter.document(pages)
    pdf, errors = run(source, folder, name)
    for error in errors[:3]:
        print(f"{name}: {error}")
    return pdf, setter
