"""Writes pages of formulas as Word's files, which LibreOffice sets: LaTeX by way of MathML to Word's OMML."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from docspec.mathematics.symbols import BIG_OPERATORS

if TYPE_CHECKING:
    from benchmarks.formulas.typesetting import Paragraph

_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
_DOCUMENT = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><w:body>%s<w:sectPr>'
    '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1587" w:right="1587" w:bottom="1587" w:left="1587"/>'
    "</w:sectPr></w:body></w:document>"
)
_SIDES = {"~": "\u0303", "^": "\u0302", "→": "\u20d7", "˙": "\u0307", "¨": "\u0308", "ˇ": "\u030c", "˘": "\u0306"}
_LINES = "―¯_‾"
_LIMITED = ("lim", "max", "sup")


def write_docx(paragraphs: Sequence[Paragraph], size: int, file: Path) -> None:
    """Writes ``paragraphs`` in type of ``size`` points into the docx ``file``."""
    body = ""
    for one in paragraphs:
        parts = [part for pair in zip(one.words, [*map(omml, one.inline), ""], strict=False) for part in pair]
        texts = [part if part.startswith("<m:") else _words(f" {part} ", size) for part in parts if part]
        body += f"<w:p>{''.join(texts)}</w:p>"
        body += f"<w:p><m:oMathPara>{omml(one.displayed)}</m:oMathPara></w:p>"
    with zipfile.ZipFile(file, "w") as parts_of_file:
        parts_of_file.writestr("[Content_Types].xml", _TYPES)
        parts_of_file.writestr("_rels/.rels", _RELATIONS)
        parts_of_file.writestr("word/document.xml", _DOCUMENT % body)


def print_docx(file: Path) -> Path:
    """The PDF that LibreOffice sets of the docx ``file``, beside it. Raises ``OSError`` where LibreOffice is missing,
    ``subprocess.CalledProcessError`` where it fails."""
    program = shutil.which("soffice") or "soffice"
    profile = f"-env:UserInstallation={(file.parent / 'profile').resolve().as_uri()}"
    command = [program, profile, "--headless", "--convert-to", "pdf", "--outdir", str(file.parent), str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return file.with_suffix(".pdf")


def _words(text: str, size: int) -> str:
    look = f'<w:rPr><w:rFonts w:ascii="Times New Roman" w:hAnsi="Times New Roman"/><w:sz w:val="{2 * size}"/></w:rPr>'
    return f'<w:r>{look}<w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def omml(latex: str) -> str:
    """``latex`` in OMML, Word's markup of formulas."""
    from latex2mathml.converter import convert_to_element

    return f"<m:oMath>{_row(list(convert_to_element(latex)))}</m:oMath>"


def _name(element: Element) -> str:
    return element.tag.split("}")[-1]


def _text(element: Element) -> str:
    return unescape("".join(element.itertext())).strip()


def _row(elements: Sequence[Element]) -> str:
    """Elements beside each other."""
    if any(one.get("linebreak") for one in elements):
        return _lines(elements)
    if not elements:
        return ""
    if (end := _end_of_fence(elements)) is not None:
        is_open = end == 1
        closing = "" if is_open else _text(elements[end])
        look = f'<m:begChr m:val="{escape(_text(elements[0]))}"/><m:endChr m:val="{escape(closing)}"/>'
        inside = _row(elements[1 : 2 if is_open else end])
        return f"<m:d><m:dPr>{look}</m:dPr><m:e>{inside}</m:e></m:d>{_row(elements[end + 1 :])}"
    if _is_operator(elements[0]):
        return _operator(elements[0], _row(elements[1:]))
    return _one(elements[0]) + _row(elements[1:])


def _end_of_fence(elements: Sequence[Element]) -> int | None:
    """Where the bracket is closed that ``elements`` begin with; of one that is not closed, what it holds."""
    first = elements[0]
    if _name(first) != "mo" or len(elements) < 2:
        return None
    if first.get("form") == "prefix":
        closing = (at for at, one in enumerate(elements) if one.get("form") == "postfix")
        return next(closing, 1)
    return 2 if first.get("minsize") or _name(elements[1]) == "mtable" else None


def _lines(elements: Sequence[Element]) -> str:
    lines: list[list[Element]] = [[]]
    for one in elements:
        if one.get("linebreak"):
            lines.append([])
        else:
            lines[-1].append(one)
    return f"<m:eqArr>{''.join(f'<m:e>{_row(line)}</m:e>' for line in lines)}</m:eqArr>"


def _is_operator(element: Element) -> bool:
    is_placed = _name(element) in ("msub", "msubsup", "munder", "munderover")
    return is_placed and _text(element[0]) in {*BIG_OPERATORS, *_LIMITED}


def _operator(element: Element, operand: str) -> str:
    sign, limits = _text(element[0]), [_one(one) for one in element[1:]]
    if sign in _LIMITED:
        name = f"<m:limLow><m:e>{_one(element[0])}</m:e><m:lim>{limits[0]}</m:lim></m:limLow>"
        return f"<m:func><m:fName>{name}</m:fName><m:e>{operand}</m:e></m:func>"
    place = "subSup" if sign in "∫∬∭∮" else "undOvr"
    hide = "" if len(limits) > 1 else '<m:supHide m:val="1"/>'
    look = f'<m:naryPr><m:chr m:val="{sign}"/><m:limLoc m:val="{place}"/>{hide}</m:naryPr>'
    high = limits[1] if len(limits) > 1 else ""
    return f"<m:nary>{look}<m:sub>{limits[0]}</m:sub><m:sup>{high}</m:sup><m:e>{operand}</m:e></m:nary>"


def _one(element: Element) -> str:
    name, children = _name(element), list(element)
    if name in ("mi", "mn", "mo", "mtext"):
        return _run(element)
    if name == "mfrac":
        kind = '<m:fPr><m:type m:val="noBar"/></m:fPr>' if element.get("linethickness") == "0" else ""
        return f"<m:f>{kind}<m:num>{_one(children[0])}</m:num><m:den>{_one(children[1])}</m:den></m:f>"
    if name == "msqrt":
        return f'<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>{_row(children)}</m:e></m:rad>'
    if name == "mroot":
        return f"<m:rad><m:deg>{_one(children[1])}</m:deg><m:e>{_one(children[0])}</m:e></m:rad>"
    if name == "mtable":
        cells = ["".join(f"<m:e>{_row(list(cell))}</m:e>" for cell in row) for row in children]
        return f"<m:m>{''.join(f'<m:mr>{row}</m:mr>' for row in cells)}</m:m>"
    if name in ("msub", "msup", "msubsup", "munder", "mover"):
        return _placed(name, children)
    return _row(children)


def _placed(name: str, children: Sequence[Element]) -> str:
    base, scripts = _one(children[0]), [_one(one) for one in children[1:]]
    sign = _text(children[1])
    if name in ("mover", "munder"):
        side = "top" if name == "mover" else "bot"
        if sign in _LINES:
            return f'<m:bar><m:barPr><m:pos m:val="{side}"/></m:barPr><m:e>{base}</m:e></m:bar>'
        if sign in _SIDES:
            return f'<m:acc><m:accPr><m:chr m:val="{_SIDES[sign]}"/></m:accPr><m:e>{base}</m:e></m:acc>'
        if sign in "⏞⏟":
            look = f'<m:groupChrPr><m:chr m:val="{sign}"/><m:pos m:val="{side}"/></m:groupChrPr>'
            return f"<m:groupChr>{look}<m:e>{base}</m:e></m:groupChr>"
    if name in ("mover", "munder"):
        tag = "limUpp" if name == "mover" else "limLow"
        return f"<m:{tag}><m:e>{base}</m:e><m:lim>{scripts[0]}</m:lim></m:{tag}>"
    if name == "msubsup":
        return f"<m:sSubSup><m:e>{base}</m:e><m:sub>{scripts[0]}</m:sub><m:sup>{scripts[1]}</m:sup></m:sSubSup>"
    tag = {"msub": "sub", "msup": "sup"}[name]
    return f"<m:s{tag.capitalize()}><m:e>{base}</m:e><m:{tag}>{scripts[0]}</m:{tag}></m:s{tag.capitalize()}>"


def _run(element: Element) -> str:
    text = _text(element)
    is_text = _name(element) == "mtext"
    upright = '<m:sty m:val="p"/>' if len(text) > 1 and text.isalpha() else ""
    look = "<m:rPr><m:nor/></m:rPr>" if is_text else f"<m:rPr>{upright}</m:rPr>"
    text = f"{text} " if is_text else text
    return f'<m:r>{look}<m:t xml:space="preserve">{escape(text)}</m:t></m:r>'
