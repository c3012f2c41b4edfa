"""``python -m benchmarks drafts`` and ``bench speed`` on one small page with a tiny random target."""

from __future__ import annotations

import json

import pymupdf
import pytest
from PIL import Image
from typer.testing import CliRunner

import benchmarks.cli
from benchmarks.degradation import DEGRADATIONS, degraded_page
from benchmarks.drafts import DraftMaker, Plan, beginning_distance, same_tokens
from benchmarks.pictures import draw
from docspec.bench.speed import MODES, PageTimes, Sample, by_kind, summarise
from docspec.cli.app import app
from docspec.core import Event, PageImage, PageResult, ParseOptions

LINES = ["The ferry left the harbour at noon.", "Nobody on the quay had seen it go.", "It came back empty."]


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "small.pdf"
    pdf = pymupdf.open()
    page = pdf.new_page(width=240, height=160)
    for row, line in enumerate(LINES):
        page.insert_text((12, 24 + 40 * row), line, fontsize=9)
    pdf.save(path)
    return path


def run(arguments, file, app=benchmarks.cli.app):
    result = CliRunner().invoke(app, [*map(str, arguments), "--json", str(file)], catch_exceptions=False)
    assert result.exit_code == 0
    return result, json.loads(file.read_text(encoding="utf-8"))


def test_every_level_is_compared_with_plain_decoding_of_the_same_page(document, lively_qwen, tmp_path):
    names = ["--drafter", "text-layer", "--drafter", "none"]
    levels = ["--noise", 0.0, "--noise", 0.5, "--jitter", 0.3]
    limits = ["--repeats", 2, "--max-tokens", 24, "--dtype", "float32", "--device", "cpu"]
    plot = tmp_path / "plot.svg"
    arguments = ["drafts", document, "--model", lively_qwen, *names, *levels, *limits, "--plot", plot]
    result, figures = run(arguments, tmp_path / "figures.json")
    assert "SIMULATED" in result.output
    assert "(simulated target)" in plot.read_text(encoding="utf-8")
    assert figures["schema"] == "docspec.bench.drafts/1" and figures["simulated"] and figures["seed"] == 1
    rows = {row["label"]: row for row in figures["rows"]}
    assert list(rows) == ["text-layer", "none", "noise 0", "noise 0.5", "jitter 0.3"]
    for row in rows.values():
        assert row["identical"] == row["runs"] == 2  # exact, whatever the draft
        assert row["verify"]["median"] <= row["decode"]["median"] <= row["total"]["median"]
        assert row["sr_decode"] == pytest.approx(row["plain_decode"]["median"] / row["decode"]["median"])
    assert rows["none"]["draft_characters"] == 0 and rows["none"]["draft_seconds"] < 0.01
    assert rows["noise 0"]["accuracy"] == rows["text-layer"]["accuracy"]
    assert rows["noise 0.5"]["accuracy"] != rows["text-layer"]["accuracy"]
    assert rows["jitter 0.3"]["draft_seconds"] == rows["text-layer"]["draft_seconds"] > 0


def test_speed_says_what_each_mode_takes_and_the_hosts_part_of_it(document, lively_qwen, tmp_path):
    limits = ["--repeats", 1, "--max-tokens", 24, "--dtype", "float32", "--device", "cpu"]
    modes = ["--mode", "page", "--mode", "tau 0.75", "--drafter", "text-layer"]
    arguments = ["bench", "speed", document, "--model", lively_qwen, *modes, *limits]
    result, figures = run(arguments, tmp_path / "figures.json", app)
    assert "host" in result.output and "SIMULATED" in result.output
    drawn = draw([tmp_path / "figures.json"], tmp_path)
    assert [file.stem for file in drawn] == ["where-time-goes", "speed-by-kind", "speed-by-page"]
    assert "plain decoding" in drawn[-1].read_text(encoding="utf-8")
    assert [mode["mode"] for mode in figures["modes"]] == ["plain", "page", "tau 0.75"]
    plain, page, _ = figures["modes"]
    assert plain["host_share"] == 0 and plain["sr_e2e"] == plain["sr_decode"] == 1
    assert 0 < page["host_share"] < 1
    assert page["identical"] == 1
    assert {kind["kind"] for kind in figures["kinds"]} == {"small"}


def sample(mode, total, **other):
    counts = {"tokens": 100, "steps": 20, "accepted": 80, "identical": True, "status": "ok", "reasons": ()}
    seconds = {"draft": 0.5, "stage1": 0.0, "prefill": 1.0, "stage2": 1.0, "stepping": 4.0, "host": 1.0}
    seconds["proposing"] = 0.5
    spread = {"low": total / 2, "high": total * 2, "decode": total / 2, "decode_low": 1.0, "decode_high": 1.0}
    return Sample(mode=mode, total=total, **(counts | seconds | spread | other))


def test_sums_over_pages_and_kinds_worked_out_by_hand():
    pages = [
        PageTimes("samples/book-1.pdf", 1, (sample("plain", 8.0), sample("page", 2.0))),
        PageTimes("samples/book-2.pdf", 1, (sample("plain", 4.0), sample("page", 8.0, steps=60, accepted=40))),
        PageTimes("samples/notes.pdf", 1, (sample("plain", 4.0), sample("page", 4.0, identical=False))),
    ]
    assert list(by_kind(pages)) == ["book", "notes"]
    one = summarise(by_kind(pages)["book"], "page")
    assert (one.sr_e2e, one.sr_decode, one.worst) == (12 / 10, 6 / 5, 0.5)
    assert (one.sr_low, one.sr_high) == (12 / 20, 12 / 5)
    assert (one.aal, one.tokens_per_step) == (120 / 80, 200 / 80)
    assert one.host_share == 0.25
    assert summarise(pages, "page").identical == 2


def test_a_blank_page_has_the_ratio_one():
    blank = [sample(mode, 0.0, steps=0, accepted=0, draft=0.0) for mode in ("plain", "page")]
    page = PageTimes("blank.pdf", 1, tuple(blank))
    assert page.sr_e2e("page") == page.sr_decode("page") == 1


def test_all_modes_of_the_papers_tables_are_there():
    assert set(MODES) == {"plain", "generate", "page", "hierarchical", "tau 0.75", "window", "planned", "strict"}


@pytest.mark.parametrize(("kind", "mild", "harsh"), [("resolution", 0.6, 0.1), ("blur", 1, 6), ("jpeg", 80, 2)])
def test_degradation_keeps_the_size_and_grows_with_its_level(printed_page, kind, mild, harsh):
    assert kind in DEGRADATIONS
    page = PageImage(printed_page, 1, 1.0, "page.png", pdf_page=object())
    changes = []
    for value in (mild, harsh):
        worse = degraded_page(page, kind, value)
        assert worse.image.size == printed_page.size and worse.image.mode == "RGB"
        assert worse.pdf_page is None
        pairs = zip(worse.image.convert("L").tobytes(), printed_page.convert("L").tobytes(), strict=True)
        changes.append(sum(abs(a - b) for a, b in pairs))
    assert 0 < changes[0] < changes[1]


def test_noise_and_jitter_go_into_the_first_draft_that_finds_text(document):
    plan = Plan(drafters=("none", "text-layer"), levels={"noise": (0.3,), "jitter": (0.2,)}, seed=7)
    with pymupdf.open(document) as pdf:
        page = PageImage(Image.new("RGB", (480, 320), "white"), 1, 2.0, "small.pdf", pdf_page=pdf[0])
        first = {one.label: one.draft for one in DraftMaker(ParseOptions(), plan).variants(page)}
        again = {one.label: one.draft for one in DraftMaker(ParseOptions(), plan).variants(page)}
    assert list(first) == ["none", "text-layer", "noise 0.3", "jitter 0.2"]
    whole = first["text-layer"]
    assert whole.regions and first["none"].is_empty
    assert [r.bbox for r in first["noise 0.3"].regions] == [r.bbox for r in whole.regions]
    assert [r.texts for r in first["noise 0.3"].regions] != [r.texts for r in whole.regions]
    assert [r.texts for r in first["jitter 0.2"].regions] == [r.texts for r in whole.regions]
    assert [r.bbox for r in first["jitter 0.2"].regions] != [r.bbox for r in whole.regions]
    assert first["noise 0.3"].regions == again["noise 0.3"].regions  # the seed decides


def test_a_cut_output_is_compared_with_the_beginning_of_the_draft():
    text = "The ferry left the harbour at noon and nobody saw it go before the evening came."
    assert beginning_distance(text, text[:40]) == 0
    assert 0 < beginning_distance(text, text[:40].replace("ferry", "fezzy")) < 0.1
    assert beginning_distance("", text[:40]) == 1


def test_only_the_loop_guard_excuses_a_shorter_output():
    def result(*tokens, kind=None):
        events = () if kind is None else (Event(kind, ""),)
        return PageResult("a.pdf", 1, "ok", token_ids=tokens, events=events)

    assert same_tokens(result(1, 2, 3), result(1, 2, 3))
    assert not same_tokens(result(1, 2, 3), result(1, 2))
    assert same_tokens(result(1, 2, 3), result(1, 2, kind="loop_stopped"))
    assert not same_tokens(result(1, 2, 3), result(1, 4, kind="loop_stopped"))
