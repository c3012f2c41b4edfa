"""The programs in ``examples/``, run as their first lines say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

from tests.made_report import ROWS, make_report
from tests.plugged import write_metadata
from tests.serve.processes import gateway, stand_in

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def run(folder: Path, *words: str, path: Path = EXAMPLES) -> subprocess.CompletedProcess[str]:
    """A Python with ``words`` in ``folder``; ``path`` is one more place of modules."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(path), str(ROOT)])}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return make_report(tmp_path / "report.pdf")


def test_a_folder_becomes_chunks_and_a_bad_file_is_said(report: Path) -> None:
    folder = report.parent
    (folder / "notes.txt").write_text("no document")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing behind it")
    done = run(folder, str(EXAMPLES / "folder_to_chunks.py"), ".", "chunks.jsonl")
    chunks = [json.loads(line) for line in (folder / "chunks.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [chunk["headings"][-1] for chunk in chunks] == [
        "Tides at Low Harbour",
        "Heights in March",
        "Entering at night",
    ]
    assert "broken.pdf" in done.stderr and "notes.txt" not in done.stderr


def test_tables_become_frames_with_numbers(report: Path) -> None:
    code = "from tables_to_pandas import tables; [(page, frame)] = tables('report.pdf'); print(page, frame.to_json())"
    number, _, table = run(report.parent, "-c", code).stdout.partition(" ")
    columns = {name: dict(zip("01", column, strict=True)) for name, *column in zip(*ROWS, strict=True)}
    numbers = {name: {row: float(cell) for row, cell in columns[name].items()} for name in ROWS[0][1:]}
    assert number == "1" and json.loads(table) == columns | numbers
    assert "1 March" in run(report.parent, str(EXAMPLES / "tables_to_pandas.py"), "report.pdf").stdout


def test_quotes_are_marked_where_they_stand(report: Path) -> None:
    quote = "Entering at night"
    done = run(report.parent, str(EXAMPLES / "mark_quotes.py"), "report.pdf", "marked.pdf", quote, "nobody wrote this")
    assert done.stdout.splitlines() == [f"page {found}: {quote}" for found in (2,)]
    with pymupdf.open(report.parent / "marked.pdf") as marked:
        texts = [page.get_textbox(annot.rect).split() for page in marked for annot in page.annots()]
    assert texts == [quote.split()]


def test_pages_become_records(report: Path) -> None:
    done = run(report.parent, str(EXAMPLES / "pages_to_vectors.py"), "report.pdf", "missing.pdf")
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["id"] != second["id"] and "Two red lights" in second["text"]
    assert second["metadata"] == {
        "source": "report.pdf",
        "page": 2,
        "headings": ["## Entering at night"],
        "doubtful": "",
    }
    assert "missing.pdf" in done.stderr


def test_a_client_reads_through_the_gateway_with_drafts_of_the_upload(report: Path) -> None:
    with stand_in() as upstream, gateway("--upstream", upstream.url, "--recognise", "never") as served:
        done = run(report.parent, str(EXAMPLES / "gateway_client.py"), served.url, "report.pdf")
        bodies = [seen["body"] for seen in upstream.told()["seen"] if "vllm_xargs" in seen["body"]]
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr.split() == ["drafts:", "upload"] * 2
    assert "Two red lights in line" in json.dumps(bodies[1]["vllm_xargs"])


def test_an_own_drafter_is_found_and_its_words_are_accepted(tmp_path: Path) -> None:
    package = EXAMPLES / "own_drafter"
    write_metadata((package / "pyproject.toml").read_text(encoding="utf-8"), tmp_path)
    with pymupdf.open() as print_of, pymupdf.open() as scan:
        page = print_of.new_page(width=300, height=120)
        page.insert_text((30, 50), "Low tide at noon", fontsize=14)
        sheet = scan.new_page(width=300, height=120)
        sheet.insert_image(sheet.rect, pixmap=page.get_pixmap(dpi=200))
        scan.save(tmp_path / "scan.pdf")
    (tmp_path / "scan.hocr").write_text(
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><div class="ocr_page" title="bbox 0 0 600 240; ppageno 0">'
        '<p class="ocr_par" title="bbox 56 70 280 110"><span class="ocr_line" title="bbox 56 70 280 110">'
        '<span class="ocrx_word">Low</span> <span class="ocrx_word">tide</span> <span class="ocrx_word">at</span> '
        '<span class="ocrx_word">noon</span></span></p></div></body></html>'
    )
    env_path = Path(os.pathsep.join([str(package), str(tmp_path)]))
    ways = ("--drafter", "hocr", "--words", "model", "--report", "report.json")
    run(tmp_path, "-m", "docspec", "parse", "scan.pdf", "-o", "scan.md", *ways, path=env_path)
    assert (tmp_path / "scan.md").read_text(encoding="utf-8").split() == ["Low", "tide", "at", "noon"]
    [read] = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["documents"][0]["pages"]
    assert read["drafter"] == "hocr"
    assert sum((read[stage] or {}).get("accepted", 0) for stage in ("stage1", "stage2")) > 0
