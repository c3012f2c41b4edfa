"""Bad input with the real parser: one line that says what and what to do, the right exit code, nothing
lost.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest
import typer

from docspec.cli.batch import make_parser as real_parser
from docspec.console import exits


def real_pdf(path: Path, pages: int = 2, **save: Any) -> Path:
    with pymupdf.open() as document:
        for number in range(1, pages + 1):
            document.new_page(width=200, height=120).insert_text((20, 40), f"Page {number} of a document.")
        document.save(path, **save)
    return path


def zero_pages(path: Path) -> Path:
    path.write_bytes(
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        b"trailer<</Root 1 0 R/Size 3>>\n%%EOF\n"
    )
    return path


def truncated(path: Path) -> Path:
    whole = real_pdf(path, pages=1).read_bytes()
    path.write_bytes(whole[:60])
    return path


def encrypted(path: Path) -> Path:
    return real_pdf(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="right", owner_pw="owner")


def text_file(path: Path) -> Path:
    path.write_text("This is not a PDF.\n")
    return path


def missing(path: Path) -> Path:
    return path


def empty(path: Path) -> Path:
    path.touch()
    return path


@pytest.mark.parametrize(
    ("make", "args", "said"),
    [
        (missing, [], "no such file"),
        (empty, [], "empty"),
        (text_file, [], "not a PDF"),
        (truncated, [], "damaged"),
        (zero_pages, [], "no pages"),
        (encrypted, [], "--password"),
        (encrypted, ["--password", "wrong"], "password"),
        (real_pdf, ["--pages", "3-5"], "page 3 does not exist"),
        (real_pdf, ["--model", "no/such/folder/at/all"], "no such directory"),
    ],
)
def test_one_line_before_any_model_is_loaded(
    tmp_path: Path, run_cli: Any, monkeypatch: pytest.MonkeyPatch, make: Any, args: list[str], said: str
) -> None:
    path = make(tmp_path / "input.pdf")
    before = sorted(tmp_path.iterdir())
    result = run_cli("parse", path, "-o", "out.md", "--offline", "--model", "never/loaded", *args, make=real_parser)
    assert result.code == 1
    assert len(result.err.splitlines()) == 1 and result.err.startswith("docspec: error: ")
    assert said.lower() in result.err.lower()
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_of_the_wrong_kind_is_no_model(tmp_path: Path, run_cli: Any) -> None:
    source = real_pdf(tmp_path / "a.pdf")
    model = tmp_path / "model"
    model.mkdir()
    for content, said in (({}, "holds no weights"), ({"model_type": "mamba"}, "mamba")):
        (model / "config.json").write_text(json.dumps(content))
        result = run_cli("parse", source, "--model", model, make=real_parser)
        assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
        assert said in result.err and str(model) in result.err
        (model / "model.safetensors").touch()


def test_a_drafter_without_its_models_says_what_to_do(tmp_path: Path, run_cli: Any, lively_qwen: Path) -> None:
    source = real_pdf(tmp_path / "a.pdf")
    args = ["--model", lively_qwen, "--drafter", "ppstructure", "--set", f"ppstructure-models={tmp_path}"]
    result = run_cli("parse", source, "-q", *args, make=real_parser)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
    assert "PP-DocLayout" in result.err and "--drafter" in result.err


def test_good_and_bad_inputs_with_the_real_parser(
    tmp_path: Path, run_cli: Any, lively_qwen: Path, printed_page: Any
) -> None:
    inputs = tmp_path / "in"
    inputs.mkdir()
    real_pdf(inputs / "good.pdf", pages=2)
    printed_page.save(inputs / "good.png")
    truncated(inputs / "torn.pdf")
    args = ["--model", lively_qwen, "--drafter", "text-layer", "--max-tokens", "12", "--baseline", "--dpi", "72"]
    result = run_cli("parse", "in", "-o", "out", "--report", "r.json", *args, make=real_parser)
    assert result.code == 3, result.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_file()) == [
        "docspec.manifest.jsonl",
        "good.pdf.md",
        "good.png.md",
    ]
    report = json.loads(Path("r.json").read_text())
    assert [entry["status"] for entry in report["documents"]] == ["ok", "ok", "failed"]
    assert report["simulated"] is True and report["totals"]["pages"] == 3
    assert report["totals"]["baseline"]["identical"] == 3
    assert report["documents"][0]["pages"][0]["output_tokens"] > 0
    assert result.error_lines and "torn.pdf" in result.error_lines[0]


def test_a_choice_that_does_not_exist_is_told_in_plain_words(tmp_path: Path, run_cli: Any) -> None:
    result = run_cli("parse", real_pdf(tmp_path / "a.pdf"), "--format", "docx")
    assert result.code == 2
    assert "'--format': 'docx' is not one of 'md', 'json', 'html'" in result.error_lines[0]


def test_an_error_advises_only_options_that_its_command_has(capsys: pytest.CaptureFixture[str]) -> None:
    from docspec.cli.app import run_application

    app = typer.Typer()

    @app.command()
    def fails(context: typer.Context, verbose: int = typer.Option(0, "-v", count=True)) -> None:
        if context.get_parameter_source("verbose").name == "COMMANDLINE":  # type: ignore[union-attr]
            context.obj.verbosity = verbose
        raise RuntimeError("oh")

    for words, advised in (([], False), (["-v"], True), (["-vv"], False)):
        assert run_application(app, "docspec", words) == exits.FATAL
        assert ("-vv" in capsys.readouterr().err) is advised
