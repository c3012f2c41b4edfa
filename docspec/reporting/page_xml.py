"""Pages to PAGE-XML 2019, which eScriptorium, kraken, OCR-D and Transkribus read. The format has one page a file: the
first page is written to the file that is named, each further one to a file beside it, when the document is complete.

Words that have no place are left out; JSON has them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

from docspec.core import BBox, Block, Category, PageResult
from docspec.core.places import PlacedCell
from docspec.reporting.placed_lines import LineWord, attributes, by_cells, line_box, lines_of, whole_box, xml_safe
from docspec.reporting.renderer import SUFFIXES, Layout, Renderer, visible_blocks
from docspec.reporting.writer import AtomicFile, PageWriter


class PageFiles(PageWriter):
    """``NAME.page.xml``, and ``NAME-2.page.xml`` for page 2 where it is not the first one."""

    def __init__(self, path: Path, layout: Layout, source: str) -> None:
        self._path, self._layout, self._source = path, layout, source
        self._open: list[AtomicFile] = [AtomicFile(path)]
        self._written = 0
        self._renderer = PageXmlRenderer(layout)

    def begin(self) -> None:
        self._renderer.begin(self._source, "")

    def add(self, result: PageResult) -> None:
        if self._written:
            stem = self._path.name.removesuffix(SUFFIXES["page"])
            self._open.append(AtomicFile(self._path.with_name(f"{stem}-{result.number}{SUFFIXES['page']}")))
        self._written += 1
        self._open[-1].write(self._renderer.page(result, {}))

    def commit(self) -> None:
        for file in self._open:
            file.commit()
        self.files = [file.path for file in self._open]

    def discard(self) -> None:
        for file in self._open:
            file.discard()


_NAMESPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
_HEAD = f"""<?xml version="1.0" encoding="UTF-8"?>
<PcGts xmlns="{_NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="{_NAMESPACE} {_NAMESPACE}/pagecontent.xsd">
"""
_TYPES = {
    Category.CAPTION: "caption",
    Category.FOOTNOTE: "footnote",
    Category.LIST_ITEM: "paragraph",
    Category.PAGE_FOOTER: "footer",
    Category.PAGE_HEADER: "header",
    Category.SECTION_HEADER: "heading",
    Category.TITLE: "heading",
    Category.TEXT: "paragraph",
}
Size = tuple[int, int]
Lines = Sequence[list[LineWord]]


class PageXmlRenderer(Renderer):
    """Writes each page as a document of its own; ``now`` is the time that it states."""

    def __init__(self, layout: Layout, now: datetime | None = None) -> None:
        self._layout = layout
        self._now = now or datetime.now(UTC)
        self._source = ""

    def begin(self, source: str, sha256: str) -> str:
        self._source = source
        return ""

    def page(self, result: PageResult, figures: Mapping[int, str]) -> str:
        return "".join(self._page(result))

    def _page(self, result: PageResult) -> Iterator[str]:
        size = result.width, result.height
        time = self._now.isoformat(timespec="seconds")
        yield _HEAD
        yield "<Metadata><Creator>docspec</Creator>"
        yield f"<Created>{time}</Created><LastChange>{time}</LastChange></Metadata>\n"
        shown = {"imageFilename": self._source, "imageWidth": size[0], "imageHeight": size[1]}
        yield f"<Page{attributes(**shown)}>\n"
        regions = []
        for index, block in visible_blocks(result, self._layout):
            lines = lines_of(block)
            if block.bbox is not None or lines:
                regions.append((f"region_{index + 1}", block, lines))
        if regions:
            yield '<ReadingOrder><OrderedGroup id="order">'
            for at, (name, _, _) in enumerate(regions):
                yield f"<RegionRefIndexed{attributes(index=at, regionRef=name)}/>"
            yield "</OrderedGroup></ReadingOrder>\n"
        for name, block, lines in regions:
            yield from _region(name, block, lines, size)
        yield "</Page>\n</PcGts>\n"


def _region(name: str, block: Block, lines: Lines, size: Size) -> Iterator[str]:
    box = block.bbox or BBox.union(map(line_box, lines))
    if block.category is Category.PICTURE:
        yield f"<ImageRegion{attributes(id=name)}>{_coords(box, size)}"
        if lines:
            yield _text_region(f"{name}_text", None, box, lines, size)
        yield "</ImageRegion>\n"
    elif block.category is Category.TABLE:
        rows = max((cell.row + cell.rows for cell in block.cells), default=None)
        columns = max((cell.column + cell.columns for cell in block.cells), default=None)
        yield f"<TableRegion{attributes(id=name, rows=rows, columns=columns)}>{_coords(box, size)}\n"
        for number, (cell, own) in enumerate(by_cells(block), start=1):
            around = cell.bbox or BBox.union(map(line_box, own))
            yield _text_region(f"{name}_cell_{number}", None, around, own, size, cell)
        yield "</TableRegion>\n"
    elif block.category is Category.FORMULA:
        yield f"<MathsRegion{attributes(id=name)}>{_coords(box, size)}"
        if lines:
            yield _text_region(f"{name}_text", None, box, lines, size)
        yield "</MathsRegion>\n"
    else:
        yield _text_region(name, _TYPES.get(block.category, "other"), box, lines, size)


def _text_region(
    name: str, kind: str | None, box: BBox, lines: Lines, size: Size, cell: PlacedCell | None = None
) -> str:
    """A region with its lines; of a ``cell`` of a table it says which."""
    leftwards = "right-to-left" if sum(one.way for line in lines for one in line) < 0 else None
    parts = [f"<TextRegion{attributes(id=name, type=kind, readingDirection=leftwards)}>{_coords(box, size)}"]
    if cell is not None:
        role = {"rowIndex": cell.row, "columnIndex": cell.column, "rowSpan": cell.rows, "colSpan": cell.columns}
        parts.insert(1, f"<Roles><TableCellRole{attributes(**role)}/></Roles>")
    for number, line in enumerate(lines, start=1):
        of_line = f"{name}_line_{number}"
        parts.append(f"\n<TextLine{attributes(id=of_line)}>{_coords(line_box(line), size)}")
        for at, one in enumerate(line, start=1):
            parts.append(f"<Word{attributes(id=f'{of_line}_word_{at}')}>{_coords(one.bbox, size)}")
            parts.append(_text(one.word.text, one.word.certainty) + "</Word>")
        parts.append(_text(" ".join(one.word.text for one in line)) + "</TextLine>")
    if lines:
        parts.append("\n" + _text("\n".join(" ".join(one.word.text for one in line) for line in lines)))
    return "".join([*parts, "</TextRegion>\n"])


def _text(text: str, certainty: float | None = None) -> str:
    sure = attributes(conf=None if certainty is None else f"{certainty:.3f}")
    return f"<TextEquiv{sure}><Unicode>{escape(xml_safe(text))}</Unicode></TextEquiv>"


def _coords(box: BBox, size: Size) -> str:
    x0, y0, x1, y1 = whole_box(box, *size)
    return f'<Coords points="{x0},{y0} {x1},{y0} {x1},{y1} {x0},{y1}"/>'
