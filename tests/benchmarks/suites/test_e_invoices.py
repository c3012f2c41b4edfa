"""The suite of electronic invoices takes items from the attached XML, and asks for each of them in a row."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from benchmarks.suites.e_invoices import EInvoices, numbers_in, positions_in
from benchmarks.suites.registry import suite_in
from docspec.core import InputError

ITEM = """<ram:IncludedSupplyChainTradeLineItem><ram:SpecifiedTradeProduct><ram:Name>{}</ram:Name>
</ram:SpecifiedTradeProduct><ram:NetPriceProductTradePrice><ram:ChargeAmount>{}</ram:ChargeAmount>
</ram:NetPriceProductTradePrice><ram:BilledQuantity unitCode="H87">{}</ram:BilledQuantity>
<ram:LineTotalAmount>{}</ram:LineTotalAmount></ram:IncludedSupplyChainTradeLineItem>"""
HEADS = "| Artikel | Menge | Preis | Betrag |\n| --- | --- | --- | --- |\n"
RIGHT = HEADS + "| Joghurt Banane | 50 Stk. | 5,50 | 1.275,00 |\n| Papier A4 | 4 | 9,90 | 39,60 |\n"


def xml(*items: tuple[str, str, str, str]) -> bytes:
    lines = "".join(ITEM.format(*one) for one in items)
    return f'<rsm:Invoice xmlns:rsm="a" xmlns:ram="b">{lines}</rsm:Invoice>'.encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((50, 50), "Joghurt Banane 50 Stk. 5,50 1.275,00")
        pdf.new_page().insert_text((50, 50), "Papier A4 4 9,90 39,60")
        invoice = xml(("Joghurt Banane", "5.5000", "50.0000", "1275.00"), ("Papier A4", "9.90", "4", "39.60"))
        pdf.embfile_add("factur-x.xml", invoice, filename="factur-x.xml")
        pdf.save(tmp_path / "one.pdf")
    with pymupdf.open() as pdf:
        pdf.new_page()
        pdf.save(tmp_path / "other.pdf")
    return tmp_path


@pytest.mark.parametrize(
    ("written", "share"),
    [
        (RIGHT, 100),
        (RIGHT.replace("5,50 | 1.275,00", "5,50 1.275,00 |"), 50),  # two numbers in one cell
        (RIGHT.replace(" | 4 | ", " | | ", 1), 50),  # the 4 of the name is no quantity
        (RIGHT.replace("| 4 | 9,90 | 39,60 |", "| | | |\n| | 4 | 9,90 | 39,60 |"), 50),  # in two rows
        (RIGHT.replace("|", " "), 0),  # no table
    ],
)
def test_an_item_is_right_where_one_row_has_it(folder: Path, written: str, share: float) -> None:
    suite = suite_in(folder, "e-invoices")
    items = suite.items()
    assert [item.id for item in items] == ["one_pg1", "one_pg2"]
    assert suite.score(items, {"one_pg2": written}).overall == pytest.approx(share)


def test_numbers_that_the_page_does_not_print_are_not_asked_for() -> None:
    assert [one.numbers for one in positions_in(xml(("Rope", "4.55", "2", "9.10")), "Rope 2 9.10", Path("a"))] == [
        (2.0, 9.1)
    ]
    assert positions_in(xml(("Rope", "4.55", "2", "9.10")), "Rope 2", Path("a")) == []


@pytest.mark.parametrize(
    ("text", "value"), [("1.275,00", 1275), ("1,275.00", 1275), ("1'275", 1275), ("0,0520", 0.052), ("12.", 12)]
)
def test_numbers_are_read_in_any_notation(text: str, value: float) -> None:
    assert value in numbers_in(text)


def test_a_folder_without_invoices_and_broken_xml(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        pdf.new_page()
        pdf.save(tmp_path / "one.pdf")
    (tmp_path / "no.pdf").write_bytes(b"%PDF-1.7 nothing")
    assert not EInvoices.fits(tmp_path)
    with pytest.raises(InputError, match="no XML"):
        positions_in(b"<a", "", Path("a"))
