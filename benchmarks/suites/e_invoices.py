"""Invoices that carry themselves as XML (Factur-X, ZUGFeRD): the program that wrote them tells what their items are.

A folder of PDF files, each with an attached XML file of UN/CEFACT's cross-industry invoice. Of each item the name, the
quantity, the net price and the amount are looked for, as far as the file's text has them: some pages print other prices
than the XML has. An item is right if one row of a table has its name in one cell and each of these numbers in another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.suites.item import Item, Scores
from docspec.core import InputError
from docspec.dialects.markdown_blocks import parse_blocks
from docspec.dialects.tables import parse_table
from docspec.documents.mupdf import mupdf

NAME = 30
"""Letters and figures of a name that are compared: longer ones are broken or cut on the page."""

LEAST = 2
"""Least numbers of an item that the page must have for it to count."""

LINE, PRODUCT, QUANTITIES = (
    "IncludedSupplyChainTradeLineItem",
    "SpecifiedTradeProduct",
    ("BilledQuantity", "RequestedQuantity"),
)
PRICE, AMOUNT = "NetPriceProductTradePrice", "LineTotalAmount"

_NUMBER = re.compile(r"\d[\d.,']*")


@dataclass(frozen=True, slots=True)
class Position:
    """An item: the beginning of its ``name``, letters and figures alone, and its ``numbers``."""

    name: str
    numbers: tuple[float, ...]


class EInvoices:
    """A folder of electronic invoices."""

    name = "e-invoices"
    title = "electronic invoices"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def fits(cls, folder: Path) -> bool:
        return any(xml_of(file) is not None for file in sorted(folder.glob("*.pdf")))

    def items(self) -> Sequence[Item]:
        found = []
        for file in sorted(self._folder.glob("*.pdf")):
            xml = xml_of(file)
            if xml is None:
                continue
            with mupdf().open(file) as document:
                text = "\n".join(page.get_text() for page in document)
                pages = range(1, document.page_count + 1)
            truth = positions_in(xml, text, file)
            if truth:
                attributes = {"document": file.stem}
                found += [Item(f"{file.stem}_pg{page}", file, "invoice", page, attributes, truth) for page in pages]
        return found

    def score(self, items: Sequence[Item], outputs: Mapping[str, str]) -> Scores:
        truths: dict[str, Sequence[Position]] = {item.attributes["document"]: item.truth for item in items}
        rows: dict[str, list[list[str]]] = {name: [] for name in truths}
        for item in items:
            rows[item.attributes["document"]] += rows_in(outputs.get(item.id, ""))
        right = {name: [is_in_row(one, rows[name]) for one in truth] for name, truth in truths.items()}
        every = [one for own in right.values() for one in own]
        if not every:
            return Scores({})
        share = 100 * sum(every) / len(every)
        return Scores(
            {
                "items in their rows": share,
                "invoices with all of them": 100 * sum(map(all, right.values())) / len(right),
                "items": float(len(every)),
                "invoices": float(len(right)),
            },
            overall=share,
            overall_name="items in their rows (%)",
        )


def xml_of(file: Path) -> bytes | None:
    """The attached invoice of a PDF ``file``; None if it has none or is no PDF."""
    pymupdf = mupdf()
    try:
        with pymupdf.open(file) as document:
            names = [document.embfile_info(number)["filename"] for number in range(document.embfile_count())]
            files = [document.embfile_get(number) for number, name in enumerate(names) if name.lower().endswith(".xml")]
    except (pymupdf.FileDataError, ValueError, RuntimeError):
        return None
    return next((bytes(data) for data in files if LINE.encode() in data), None)


def positions_in(xml: bytes, text: str, file: Path) -> list[Position]:
    """The items of an invoice, with those of their numbers that ``text``, all of its pages, has. Raises
    :class:`InputError` for what is no XML."""
    try:
        root = ElementTree.fromstring(xml)
    except ElementTree.ParseError as error:
        raise InputError(f"{file}: its invoice is no XML ({error})") from error
    printed, letters = numbers_in(text), _letters(text)
    found = []
    for line in _all(root, LINE):
        name = _letters(_first(_under(line, PRODUCT), ["Name"]).partition("\n")[0])[:NAME]
        told = (_first([line], QUANTITIES), _first(_under(line, PRICE), ["ChargeAmount"]), _first([line], [AMOUNT]))
        numbers = tuple(abs(float(one)) for one in told if one and abs(float(one)) in printed)
        if name and name in letters and len(numbers) >= LEAST:
            found.append(Position(name, numbers))
    return found


def rows_in(markdown: str) -> list[list[str]]:
    """The rows of all tables, each with the cells that it has a part of."""
    rows: list[list[str]] = []
    for block in parse_blocks(markdown):
        table = parse_table(block.text) if block.category == "Table" else None
        cells: dict[int, list[str]] = {}
        for cell, places in table.places() if table is not None else ():
            for row in {row for row, _ in places}:
                cells.setdefault(row, []).append(cell.text)
        rows += cells.values()
    return rows


def is_in_row(position: Position, rows: Iterable[Sequence[str]]) -> bool:
    """Whether one of ``rows`` has the name of the item in one cell and its numbers in others, each in its own."""
    return any(
        position.name in _letters(cell) and _has_each(position.numbers, [*row[:at], *row[at + 1 :]])
        for row in rows
        for at, cell in enumerate(row)
    )


def numbers_in(text: str) -> set[float]:
    """All that the figures in ``text`` may stand for: points and commas part decimals here and thousands there."""
    found = set()
    for match in _NUMBER.finditer(text):
        parts = re.split("[.,']", match[0].rstrip(".,'"))
        whole = "".join(parts)
        if all(len(part) == 3 for part in parts[1:]):
            found.add(float(whole))
        if len(parts) > 1 and parts[-1]:
            found.add(float("".join(parts[:-1]) + "." + parts[-1]))
    return found


def _has_each(numbers: Sequence[float], cells: Sequence[str]) -> bool:
    """Whether each of ``numbers`` is in a cell of its own: in the first that has it."""
    left = [numbers_in(cell) for cell in cells]
    for number in numbers:
        at = next((at for at, own in enumerate(left) if number in own), None)
        if at is None:
            return False
        left.pop(at)
    return True


def _letters(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).lower() if sign.isalnum())


def _all(element: ElementTree.Element, name: str) -> Iterator[ElementTree.Element]:
    """The elements of this name, in whatever version of the standard's namespace."""
    return (one for one in element.iter() if one.tag.rpartition("}")[2] == name)


def _under(element: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return list(_all(element, name))


def _first(elements: Iterable[ElementTree.Element], names: Sequence[str]) -> str:
    """The text of the first element of one of the ``names``."""
    texts = (one.text for element in elements for name in names for one in _all(element, name))
    return next((text.strip() for text in texts if text and text.strip()), "")
