"""``docspec inspect``: what is in a file, told without a model and without drawing it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from docspec.inspection import FileFacts, inspect_files, tables_in
from tests.forked import run_forked

PROSE = "The harbour is dry for two hours at each low tide, and boats that draw more than a metre wait outside. " * 6


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of each kind of page, and files that are something besides."""
    home = tmp_path_factory.mktemp("inspected")
    pages = pymupdf.open()
    pages.new_page().insert_textbox((50, 50, 550, 400), PROSE)
    picture = pages[0].get_pixmap(dpi=100).tobytes("png")
    scan = pages.new_page()
    scan.insert_image(scan.rect, stream=picture)
    pages.new_page()
    garbled = pages.new_page()
    garbled.insert_textbox((50, 50, 550, 400), PROSE.translate({ord(c): ord(c) + 3 for c in set(PROSE) if c.isalpha()}))
    mixed = pages.new_page()
    mixed.insert_textbox((50, 50, 550, 250), PROSE)
    mixed.insert_image((50, 300, 550, 800), stream=picture, keep_proportion=False)
    table = pages.new_page()
    table.insert_textbox((50, 500, 550, 800), PROSE)
    for y in range(100, 300, 40):
        table.draw_line((60, y), (400, y))
    pages.save(home / "kinds.pdf")

    form = pymupdf.open()
    page = form.new_page()
    page.insert_text((50, 80), "Name of the vessel and of its owner")
    for row in range(2):
        field = pymupdf.Widget()
        field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_TEXT, f"field {row}"
        field.rect = pymupdf.Rect(50, 100 + 40 * row, 300, 120 + 40 * row)
        page.add_widget(field)
    form.embfile_add("ledger.csv", b"1,2\n")
    form.xref_set_key(form.pdf_catalog(), "Lang", "(de-CH)")
    form.save(home / "form.pdf")
    form.save(home / "locked.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="tide", owner_pw="harbour")
    (home / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing behind it")
    Image.new("RGB", (60, 40), "white").save(home / "photo.png")
    return home


def facts(path: Path, password: str | None = None) -> FileFacts:
    from docspec.documents.sources import source_from_path

    [found] = inspect_files([source_from_path(path)], password)
    return found


def test_each_page_is_of_its_kind(folder: Path) -> None:
    found = facts(folder / "kinds.pdf")
    kinds = [page.kind for page in found.pages]
    assert kinds == ["born-digital", "scanned", "blank", "garbled", "mixed", "born-digital"]
    assert [page.tables for page in found.pages] == [0, 0, 0, 0, 0, 1]
    assert found.needs_ocr and found.scripts == ("Latin",) and found.damage is None
    assert "vowels" in found.pages[3].why


def test_what_a_file_is_besides(folder: Path) -> None:
    found = facts(folder / "form.pdf")
    assert (found.attachments, found.language, found.pages[0].fields) == (1, "de-CH", 2)
    assert not found.needs_ocr and not found.is_encrypted
    assert facts(folder / "photo.png").kinds == {"picture": 1}


def test_an_encrypted_file_is_named_so_with_its_password_and_without(folder: Path) -> None:
    locked = facts(folder / "locked.pdf")
    assert locked.is_encrypted and locked.error is not None and "--password" in locked.error
    opened = facts(folder / "locked.pdf", "tide")
    assert opened.is_encrypted and opened.error is None and opened.attachments == 1


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return run_forked(["inspect", *map(str, words)], text=True)


def test_the_command_has_a_line_for_each_file_and_codes_for_scripts(folder: Path) -> None:
    ran = run(folder)
    lines = ran.stdout.splitlines()
    assert ran.returncode == 3 and "broken.pdf" in ran.stderr and "locked.pdf" in ran.stderr and len(lines) == 3
    assert any("6 pages (2 born-digital" in line and "tables on 1 page?" in line for line in lines)
    assert any("2 form fields" in line and "1 attachment" in line and "says de-CH" in line for line in lines)
    sound = run("--needs-ocr", folder / "form.pdf")
    assert (sound.returncode, sound.stdout) == (1, "")
    kinds = run("--needs-ocr", folder / "form.pdf", folder / "kinds.pdf")
    assert kinds.returncode == 0 and kinds.stdout.strip().endswith("kinds.pdf")
    [told] = map(json.loads, run("--json", folder / "kinds.pdf").stdout.splitlines())
    assert told["schema"] == "docspec.inspect/1" and told["page_count"] == 6 and told["pages"][1]["kind"] == "scanned"
    assert told["pages"][0]["words"] == "the file's"
    assert "  page 4: garbled (" in run("--pages", folder / "kinds.pdf").stdout


def test_it_says_how_long_a_run_takes_by_what_runs_took_here(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    before = run(folder / "form.pdf")
    assert "; about " in before.stdout and "a guess from another machine" in before.stderr
    assert run_forked(["parse", str(folder / "form.pdf"), "-o", str(tmp_path / "form.md")]).returncode == 0
    after = run(folder / "form.pdf")
    assert "; about " in after.stdout and "in one run (measured here on 1 page)" in after.stderr
    [told] = map(json.loads, run("--json", folder / "form.pdf").stdout.splitlines())
    assert told["seconds"] > 0 and told["seconds_measured_on_pages"] == 1 and told["engine"] == "local"
    [other] = map(json.loads, run("--json", "--model", "some/model", folder / "form.pdf").stdout.splitlines())
    assert other["seconds"] is None and other["pages"][0]["words"] == "the model's"
    unknown = run("--model", "some/model", folder / "form.pdf")
    assert "about" not in unknown.stdout and "no run has measured here" in unknown.stderr


def test_lines_below_each_other_look_like_a_table() -> None:
    ruled = [(50.0, float(y), 300.0, float(y)) for y in range(100, 200, 20)]
    assert tables_in(ruled) == 1 and tables_in(ruled[:2]) == 0
    beside = [(x0 + 280, y, x1 + 280, y) for x0, y, x1, _ in ruled]
    below = [(x0, y + 400, x1, y + 400) for x0, y, x1, _ in ruled]
    assert tables_in([*ruled, *beside, *below]) == 3
    cells = [(x, y, x + 50, y) for x in (50.0, 100.0, 150.0) for y in (100.0, 120.0, 140.0, 160.0)]
    assert tables_in(cells) == 1
    assert tables_in([(50.0, 100.0 + y, 400.0, 112.0 + y) for y in range(5)]) == 0
