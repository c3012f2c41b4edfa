"""``python -m benchmarks transcripts`` on tiny pairs made here: counting, pairing, table and JSON."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import pymupdf
import pytest
from typer.testing import CliRunner

from benchmarks.cli import app
from benchmarks.transcripts import TokenizerFile, find_transcripts, replay, replay_transcript, total
from docspec.core import InputError, ParseOptions, UsageError
from docspec.drafting import make_drafter
from docspec.proposing.window import WindowProposer

LINES = ["The ferry left the harbour at noon.", "Nobody on the quay had seen it go.", "It came back empty."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two pairs, one document without a transcript, one transcript without a document."""
    root = tmp_path_factory.mktemp("pairs")
    for name in ("one", "two", "alone"):
        document = pymupdf.open()
        page = document.new_page()
        for row, line in enumerate(LINES):
            page.insert_text((72, 100 + 60 * row), line, fontsize=12)
        document.save(root / f"{name}.pdf")
    (root / "one.md").write_text("\n\n".join(LINES), encoding="utf-8")
    (root / "two.md").write_text("\n\n".join(LINES).replace("empty", "laden"), encoding="utf-8")
    (root / "stray.md").write_text("nothing", encoding="utf-8")
    return root


def test_the_first_token_is_free_and_the_end_is_written_by_a_step():
    steps, drafted, *_ = replay(WindowProposer(), [5, 6, 7, 99], budget=8)
    assert (steps, drafted) == (3, 0)
    assert replay(WindowProposer(), [5, 6, 7, 99], 8, [[5, 6, 7]])[:2] == (1, 2)


def test_pairs_are_found_in_folders_and_by_name(folder):
    assert [pair.name for pair in find_transcripts([folder])] == ["one", "two"]
    assert [pair.name for pair in find_transcripts([folder / "two.pdf"])] == ["two"]


def test_a_document_without_transcript_is_an_error_that_names_it(folder):
    with pytest.raises(InputError, match=r"alone\.pdf"):
        find_transcripts([folder / "alone.pdf"])
    with pytest.raises(InputError, match="not found"):
        find_transcripts([folder / "absent.pdf"])


def test_a_draft_that_holds_the_transcript_is_nearly_all_accepted(folder, tokenizer):
    pages = [
        replay_transcript(pair, drafter(), TokenizerFile(tokenizer), ["window", "cursor"])
        for pair in find_transcripts([folder])
    ]
    for page in pages:
        window, cursor = page.replays
        assert page.tokens == window.tokens == cursor.tokens > 50
        assert cursor.steps <= window.steps
        assert cursor.tokens_per_step > 5
    assert pages[0].bound_steps < pages[1].bound_steps
    both = total(pages)
    assert both.tokens == sum(page.tokens for page in pages)
    assert both.replays[1].steps == sum(page.replays[1].steps for page in pages)


def drafter():
    return make_drafter(ParseOptions(drafter="text-layer"))


def test_a_gzipped_tokenizer_is_the_same_one(tokenizer, tmp_path):
    packed = tmp_path / "tokenizer.json.gz"
    packed.write_bytes(gzip.compress(tokenizer.read_bytes()))
    assert TokenizerFile(packed).tokenize("harbour") == TokenizerFile(tokenizer).tokenize("harbour")


def test_what_is_no_tokenizer_is_refused_in_one_line(folder):
    with pytest.raises(UsageError, match="not a tokenizers file"):
        TokenizerFile(folder / "one.md")


def test_the_command_prints_a_table_and_writes_json(folder, tokenizer, tmp_path):
    file = tmp_path / "figures.json"
    arguments = ["transcripts", str(folder), "--tokenizer", str(tokenizer), "--json", str(file)]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert "no model runs" in result.output
    assert "total" in result.output
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert figures["schema"] == "docspec.bench.transcripts/1"
    assert [page["name"] for page in figures["pages"]] == ["one", "two"]
    assert {one["align"] for one in figures["total"]["replays"]} == {"window", "cursor"}


def test_sources_are_left_out_and_shown_alone(folder, tokenizer):
    arguments = ["transcripts", str(folder / "two.pdf"), "--tokenizer", str(tokenizer)]
    arguments += ["--without", "lookup", "--only", "ngrams", "--proposer", "cursor"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    rows = {line.split()[0]: line for line in result.output.splitlines() if line.split()}
    assert {"cursor", "cursor-lookup", "ngrams"} <= rows.keys()
    assert "+0.0 %" in rows["cursor"] and "-" in rows["ngrams"].split()[3]
    with pytest.raises(UsageError, match="no proposer 'nothing'"):
        CliRunner().invoke(app, [*arguments, "--without", "nothing"], catch_exceptions=False)


def test_the_bench_needs_no_torch():
    code = "import benchmarks.transcripts, benchmarks.cli, sys; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
