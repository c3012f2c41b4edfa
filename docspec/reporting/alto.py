"""Pages to ALTO 4.4, the format of libraries and archives: blocks, lines and words with boxes, in pixels.

A table is a composed block with a text block for each cell. Words that have no place are left out; JSON has them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

from docspec.core import BBox, Block, Category, PageResult
from docspec.reporting.placed_lines import LineWord, attributes, by_cells, line_box, lines_of, whole_box, xml_safe
from docspec.reporting.renderer import Layout, Renderer, visible_blocks

_NAMESPACE = "http://www.loc.gov/standards/alto/ns-v4#"
_HEAD = f"""<?xml version="1.0" encoding="UTF-8"?>
<alto xmlns="{_NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="{_NAMESPACE} http://www.loc.gov/standards/alto/v4/alto-4-4.xsd" SCHEMAVERSION="4.4">
<Description>
<MeasurementUnit>pixel</MeasurementUnit>
<sourceImageInformation><fileName>%s</fileName></sourceImageInformation>
<Processing ID="docspec"><processingSoftware><softwareName>docspec</softwareName></processingSoftware></Processing>
</Description>
<Tags>
"""


class AltoRenderer(Renderer):
    """Writes one document; the blocks are in the order in which they are read, and their tags say what they are."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def begin(self, source: str, sha256: str) -> str:
        tags = "".join(f"<LayoutTag{attributes(ID=kind.value, LABEL=kind.value)}/>\n" for kind in Category)
        return _HEAD % escape(xml_safe(source)) + tags + "</Tags>\n<Layout>\n"

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        return "".join(self._page(result))

    def end(self) -> str:
        return "</Layout>\n</alto>\n"

    def _page(self, result: PageResult) -> Iterator[str]:
        size = result.width, result.height
        name = f"page_{result.number}"
        yield (
            f"<Page{attributes(ID=name, PHYSICAL_IMG_NR=result.number, HEIGHT=size[1], WIDTH=size[0])}>\n"
            f"<PrintSpace{attributes(HPOS=0, VPOS=0, WIDTH=size[0], HEIGHT=size[1])}>\n"
        )
        for index, block in visible_blocks(result, self._layout):
            yield from _block(block, f"{result.number}_{index + 1}", size)
        yield "</PrintSpace>\n</Page>\n"


def _block(block: Block, name: str, size: tuple[int, int]) -> Iterator[str]:
    lines = lines_of(block)
    if block.bbox is None and not lines:
        return
    box = block.bbox or BBox.union(map(line_box, lines))
    head = {"ID": f"block_{name}", "TAGREFS": block.category.value, **_place(box, size)}
    if block.category is Category.PICTURE:
        yield f"<Illustration{attributes(**head)}/>\n"
        if lines:
            yield _text_block({**head, "ID": f"text_{name}"}, lines, name, size)
    elif block.cells and lines:
        yield f"<ComposedBlock{attributes(**head, TYPE='table')}>\n"
        for number, (cell, own) in enumerate(by_cells(block), start=1):
            around = BBox.union(map(line_box, own))
            place = _place(cell.bbox or around, size)
            yield _text_block({"ID": f"cell_{name}_{number}", **place}, own, f"{name}_{number}", size)
        yield "</ComposedBlock>\n"
    elif lines:
        yield _text_block(head, lines, name, size)
    else:
        yield f"<ComposedBlock{attributes(**head)}/>\n"


def _text_block(head: Mapping[str, object], lines: Sequence[list[LineWord]], name: str, size: tuple[int, int]) -> str:
    parts = [f"<TextBlock{attributes(**head)}>\n"]
    for number, line in enumerate(lines, start=1):
        of_line = f"{name}_{number}"
        parts.append(f"<TextLine{attributes(ID=f'line_{of_line}', **_place(line_box(line), size))}>")
        for at, one in enumerate(line, start=1):
            if at > 1:
                parts.append("<SP/>")
            word = one.word
            said = attributes(ID=f"word_{of_line}_{at}", CONTENT=word.text, WC=f"{word.certainty:.2f}")
            parts.append(f"<String{said}{attributes(**_place(one.bbox, size))}/>")
        parts.append("</TextLine>\n")
    return "".join([*parts, "</TextBlock>\n"])


def _place(box: BBox, size: tuple[int, int]) -> dict[str, int]:
    x0, y0, x1, y1 = whole_box(box, *size)
    return {"HPOS": x0, "VPOS": y0, "WIDTH": x1 - x0, "HEIGHT": y1 - y0}
