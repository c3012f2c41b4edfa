"""Pages to hOCR 1.2, which ocrmypdf, hocr-tools and viewers of scans read: blocks, lines and words with boxes.

Words that have no place are left out; JSON has them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from docspec.core import BBox, Block, Category, PageResult
from docspec.reporting.placed_lines import LineWord, attributes, line_box, lines_of, whole_box, xml_safe
from docspec.reporting.renderer import Layout, Renderer, visible_blocks

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml">
<head>
<title>{title}</title>
<meta http-equiv="Content-Type" content="text/html;charset=utf-8"/>
<meta name="ocr-system" content="docspec"/>
<meta name="ocr-capabilities" content="ocr_page ocr_carea ocr_par ocr_line ocrx_word ocrp_wconf"/>
</head>
<body>
"""
_CLASSES = {Category.PICTURE: "ocr_photo", Category.TABLE: "ocr_table", Category.CAPTION: "ocr_caption"}


class HocrRenderer(Renderer):
    """Writes one document; the blocks are in the order in which they are read."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._source = ""

    def begin(self, source: str, sha256: str) -> str:
        self._source = source
        return _HEAD.format(title=escape(xml_safe(source)))

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        return "".join(self._page(result))

    def end(self) -> str:
        return "</body>\n</html>\n"

    def _page(self, result: PageResult) -> Iterator[str]:
        size = result.width, result.height
        image = xml_safe(self._source).replace('"', "'")
        title = f'image "{image}"; bbox 0 0 {size[0]} {size[1]}; ppageno {result.number - 1}'
        yield f"<div{attributes(class_='ocr_page', id=f'page_{result.number}', title=title)}>\n"
        for index, block in visible_blocks(result, self._layout):
            yield from _block(block, f"{result.number}_{index + 1}", size)
        yield "</div>\n"


def _block(block: Block, name: str, size: tuple[int, int]) -> Iterator[str]:
    lines = lines_of(block)
    if block.bbox is None and not lines:
        return
    box = block.bbox or BBox.union(map(line_box, lines))
    kind = _CLASSES.get(block.category, "ocr_carea")
    yield f"<div{attributes(class_=kind, id=f'block_{name}', title=_bbox(box, size))}>\n"
    if lines:
        leftwards = "rtl" if sum(one.way for line in lines for one in line) < 0 else None
        yield f"<p{attributes(class_='ocr_par', id=f'par_{name}', dir=leftwards, title=_bbox(box, size))}>\n"
        for number, line in enumerate(lines, start=1):
            yield _line(line, f"{name}_{number}", size)
        yield "</p>\n"
    yield "</div>\n"


def _line(line: list[LineWord], name: str, size: tuple[int, int]) -> str:
    words = " ".join(
        f"<span{attributes(class_='ocrx_word', id=f'word_{name}_{number}', title=_word_title(one, size))}>"
        f"{escape(xml_safe(one.word.text))}</span>"
        for number, one in enumerate(line, start=1)
    )
    return (
        f"<span{attributes(class_='ocr_line', id=f'line_{name}', title=_bbox(line_box(line), size))}>{words}</span>\n"
    )


def _word_title(one: LineWord, size: tuple[int, int]) -> str:
    return f"{_bbox(one.bbox, size)}; x_wconf {round(100 * one.word.certainty)}"


def _bbox(box: BBox, size: tuple[int, int]) -> str:
    return "bbox " + " ".join(map(str, whole_box(box, *size)))
