"""Made pages of known reading order: their truth scores fully, and what is swapped or glued scores less."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.cli import app
from benchmarks.reading_order import forms, tagged
from benchmarks.reading_order.kinds import KINDS, made
from benchmarks.reading_order.score import PlaceScore, scored
from docspec.core import BBox
from docspec.documents.mupdf import mupdf


@pytest.mark.parametrize("kind", KINDS)
def test_the_truth_of_a_page_has_all_of_its_order(kind: str) -> None:
    pdf, sheet = made(kind, 1)
    assert made(kind, 1)[1].units == sheet.units
    printed = " ".join(mupdf().open("pdf", pdf)[0].get_text().split())
    assert all(unit.text.split()[0] in printed for unit in sheet.units)
    truth = scored("\n\n".join(unit.text for unit in sheet.units), sheet.units)
    assert (truth.right, truth.whole, truth.glued) == (truth.pairs, truth.units, 0)
    backwards = scored("\n\n".join(unit.text for unit in sheet.units[::-1]), sheet.units)
    assert backwards.right == 0
    glued = scored(" ".join(unit.text for unit in sheet.units), sheet.units)
    assert glued.glued == 1


def test_the_command_scores_what_is_written_of_the_pages() -> None:
    shown = CliRunner().invoke(app, ["reading-order", "--each", "1", "--kind", "slide", "--kind", "two-up"])
    assert shown.exit_code == 0 and "slide" in shown.output and "all" in shown.output
    assert "100.0%" in shown.output.split("two-up")[1]


TAGGED = b"""%%PDF-1.7
1 0 obj <</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 5 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 4 0 R/StructParents 0
/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>> endobj
4 0 obj <</Length %d>> stream
%s
endstream endobj
5 0 obj <</Type/StructTreeRoot/K 6 0 R/ParentTree<</Nums[0[%s]]>>>> endobj
6 0 obj <</Type/StructElem/S/Document/P 5 0 R/K[%s]>> endobj
%s
trailer <</Root 1 0 R>>
"""


def tagged_page(places: list[tuple[int, int]]) -> bytes:
    """A page whose paragraphs stand at ``places``, tagged in this order and painted in the other one."""
    count = len(places)
    text = b"".join(
        b"/P <</MCID %d>> BDC BT /F 10 Tf %d %d Td (Paragraph %d of it) Tj ET EMC\n" % (n, *places[n], n)
        for n in reversed(range(count))
    )
    references = b" ".join(b"%d 0 R" % (7 + n) for n in range(count))
    elements = b"\n".join(
        b"%d 0 obj <</Type/StructElem/S/P/P 6 0 R/Pg 3 0 R/K %d>> endobj" % (7 + n, n) for n in range(count)
    )
    return TAGGED % (len(text), text, references, references, elements)


def test_the_tags_of_a_page_tell_its_order(tmp_path: Path) -> None:
    places = [(30, 350), (30, 300), (30, 250), (230, 350), (230, 300), (230, 250)]
    path = tmp_path / "tagged.pdf"
    path.write_bytes(tagged_page(places))
    [(number, elements)] = tagged.pages_of(path, 3)
    assert number == 0 and [one.kind for one in elements] == ["P"] * 6
    found = [BBox.union(one.boxes) for one in elements]
    assert [(round(box.x0 / 10) * 10, round((400 - box.y1) / 10) * 10) for box in found] == places
    assert tagged.score_of(elements, found) == PlaceScore(1, 1, 5, 5, 15, 15)
    assert tagged.score_of(elements, found[::-1]) == PlaceScore(1, 0, 5, 0, 15, 0)
    shown = CliRunner().invoke(app, ["reading-order", "--tagged", str(tmp_path)])
    assert shown.exit_code == 0 and "layout model" in shown.output


def test_links_of_a_form_say_what_follows_what(tmp_path: Path) -> None:
    def segment(number: int, x: int, y: int) -> dict[str, object]:
        box = [x, y, x + 60, y + 12]
        return {"id": number, "box": box, "text": "a word", "words": [{"box": box, "text": "word"}]}

    form = {"document": [segment(n, 20 + 100 * (n % 2), 20 + 30 * (n // 2)) for n in range(6)]}
    path = tmp_path / "form.json"
    path.write_text(json.dumps(form | {"ro_linkings": [[n, n + 1] for n in range(5)]}))
    _, rows = forms.measured(path)
    assert rows == PlaceScore(1, 1, 5, 5, 15, 15)
    path.write_text(json.dumps(form | {"ro_linkings": [[n + 1, n] for n in range(5)]}))
    assert forms.measured(path)[1] == PlaceScore(1, 0, 5, 0, 15, 0)
    shown = CliRunner().invoke(app, ["reading-order", "--forms", str(tmp_path)])
    assert shown.exit_code == 0 and "row by row" in shown.output
