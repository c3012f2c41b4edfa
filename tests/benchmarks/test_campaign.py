"""The campaign's damage is the same on every machine, and is damage; its judges see what is lost."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.campaign import hostile, images
from benchmarks.campaign.__main__ import results_so_far, summary, words_on_pages
from benchmarks.campaign.case import Case, Result
from benchmarks.campaign.kills import is_of_python
from benchmarks.campaign.mutants import IMAGE_KINDS, KINDS, mutant
from benchmarks.campaign.raw import document, text
from benchmarks.campaign.reading import Documents, Outcome
from benchmarks.campaign.words import share_of, words_of
from benchmarks.campaign.worker import Ran

DATA = document(*(text(f"Page {number} of a small document") for number in range(12)))
WORDS = "Twelve members attended meeting 4815 about the bridge"


def test_the_same_seed_does_the_same_damage_and_every_kind_does_some() -> None:
    made = [mutant(DATA, seed) for seed in range(4 * len(KINDS))]
    assert made == [mutant(DATA, seed) for seed in range(4 * len(KINDS))]
    assert {kind for kind, damaged in made if damaged != DATA} == set(KINDS)
    png = images.sound()["grey.png"]
    assert {mutant(png, seed, image=True)[0] for seed in range(20)} == set(list(KINDS)[:IMAGE_KINDS])


def test_hostile_values_reach_every_place_by_their_seed() -> None:
    value = {"pages": [{"page": 1, "blocks": []}], "source": "x"}
    made = [hostile.mutated(json.dumps(value).encode(), Random(seed)) for seed in range(300)]
    assert made == [hostile.mutated(json.dumps(value).encode(), Random(seed)) for seed in range(300)]
    said = " ".join(what for what, _ in made)
    assert all(place in said for place in ("all of it", "pages.0.page", "pages.0.blocks", "source", "cut off"))
    assert any(data.count(b"[") > 1000 for _, data in made)


def test_words_count_that_are_broken_set_otherwise_or_in_a_table() -> None:
    words = words_of(WORDS)
    assert set(words) == {"twelve", "members", "attended", "meeting", "4815", "about", "bridge"}
    assert share_of(words, "Twelve mem-\nbers attended <td>MEETING</td> 48<b>15</b> about the bridge") == 1
    assert share_of(words, "Twelve members attended") == pytest.approx(3 / 7)
    assert share_of(words_of(f"{WORDS} {WORDS}"), WORDS) == 0.5, "a paragraph that stands twice"


class Seeing:
    """A double of the worker, which sees ``texts`` in whatever it is shown and reads nothing."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def look(self, path: Path, recognise: bool, folder: Path) -> dict[str, Any]:
        return {"pages": len(self.texts), "texts": list(self.texts), "seen": list(self.texts)}


@pytest.mark.parametrize(
    ("status", "events", "written", "faults"),
    [
        (["ok"], [], WORDS, []),
        (["ok"], [], WORDS[:30], ["words lost in silence"]),
        (["ok"], ["damaged_page"], WORDS[:30], []),
        (["ok"], ["words_stand"], "", ["words lost in silence"]),
        (["failed"], [], "", []),
        (["blank"], [], "", ["text lost in silence: a page is called blank", "words lost in silence"]),
        ([], [], WORDS, ["pages lost in silence"]),
    ],
)
def test_what_is_lost_without_a_word_is_a_fault(
    tmp_path: Path, status: list[str], events: list[str], written: str, faults: list[str]
) -> None:
    pages = [{"status": each, "events": [{"kind": kind} for kind in events]} for each in status]
    (tmp_path / "a.json").write_text(json.dumps({"pages": [{"blocks": [{"text": written}]}]}))
    outcome = Outcome({"status": "ok", "pages": pages}, tmp_path / "a.json")
    case = Case("pdf", "a.pdf", "cut off", b"", words_of(WORDS), full=True)
    result = Result("pdf", "a.pdf", "cut off", 0, [])
    judge = Documents(Seeing(WORDS))  # type: ignore[arg-type]
    assert judge.losses(case, tmp_path / "a.pdf", outcome, result, tmp_path, recognise=True) == faults
    assert not result.doubtful


@pytest.mark.parametrize(("doubtful", "recognise"), [(1, True), (2, False), (2, True)])
def test_words_lost_where_every_page_is_doubtful_are_counted_apart(
    tmp_path: Path, doubtful: int, recognise: bool
) -> None:
    pages: list[dict[str, Any]] = [{"status": "ok", "events": []} for _ in range(2)]
    for page in pages[:doubtful]:
        page["doubtful"] = "few of its words are drafted"
    (tmp_path / "a.json").write_text(json.dumps({"pages": []}))
    outcome = Outcome({"status": "ok", "pages": pages}, tmp_path / "a.json")
    case, result = Case("pdf", "a.pdf", "cut off", b"", words_of(WORDS)), Result("pdf", "a.pdf", "cut off", 0, [])
    judge = Documents(Seeing(WORDS))  # type: ignore[arg-type]
    faults = judge.losses(case, tmp_path / "a.pdf", outcome, result, tmp_path, recognise=recognise)
    assert (result.doubtful, faults) == (
        (True, []) if doubtful == 2 and recognise else (False, ["words lost in silence"])
    )


def test_words_that_the_ledger_misses_are_counted(tmp_path: Path) -> None:
    pages = [{"status": "ok", "events": [], "words": {"missing": count}} for count in (0, 3)]
    assert Outcome({"status": "ok", "pages": pages}, tmp_path / "a.json").missing == 3


def test_a_run_that_ends_otherwise_than_documented_is_a_fault() -> None:
    def ran(**how: Any) -> Ran:
        return Ran(**({"code": 0, "signal": None, "stopped": "", "cpu": 1, "wall": 1, "memory": 1, "said": ""} | how))

    assert ran().faults() == ran(code=3).faults() == []
    assert ran(code=99, said="Traceback (most recent call last):").faults() == ["undocumented exit code", "traceback"]
    assert ran(code=1, said="docspec: error: unexpected KeyError: 'x'").faults() == ["unexpected error"]
    assert ran(signal=11, code=None).faults() == ["crash"] and ran(stopped="time").faults() == ["out of time"]


def test_a_batch_that_was_broken_off_counts_for_nothing(tmp_path: Path) -> None:
    one, two = {"family": "pdf", "name": "1"}, {"family": "pdf", "name": "2"}
    kept, torn = [one, {"done": "pdf 0-0"}], f"{json.dumps(two)}\n{json.dumps(two)[:9]}"
    (tmp_path / "out.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in kept) + torn)
    assert results_so_far(tmp_path / "out.jsonl") == kept
    with (tmp_path / "out.jsonl").open("a") as file:
        file.write(f"\n{json.dumps(two)}\n" + json.dumps({"done": "pdf 1-1"}))
    assert results_so_far(tmp_path / "out.jsonl") == [*kept, two, {"done": "pdf 1-1"}]


def test_an_interrupt_of_python_itself_is_no_fault_of_the_command() -> None:
    frames = 'Traceback (most recent call last):\n  File "<frozen runpy>", line 88\n{}KeyboardInterrupt\n'
    assert is_of_python(frames.format('  File "/x/docspec/__main__.py", line 3, in <module>\n'))
    assert not is_of_python(frames.format('  File "/x/docspec/cli/app.py", line 3, in <module>\n'))
    assert not is_of_python("docspec: interrupted\n")


def test_words_of_a_layer_that_the_page_does_not_show_are_those_that_are_seen() -> None:
    shown = ["Accelerating the science of language models"]
    assert words_on_pages(["Zbbdkdqzshmf sgd rbhdmbd ne kzmftzfd lncdkr"], shown) == words_of(shown[0])
    assert words_on_pages(shown, ["Accelerating the scienee of language"]) == words_of(shown[0])
    assert words_on_pages(shown, []) == words_of(shown[0])


def test_a_sound_file_that_is_called_damaged_is_a_false_alarm(tmp_path: Path) -> None:
    entry: dict[str, Any] = {"status": "ok", "pages": [{"status": "ok", "events": []}]}
    assert not Outcome(entry, tmp_path / "a.json").is_alarm
    for kind, alarm in (
        ("pdf_warning", False),
        ("page_reduced", False),
        ("damaged_page", True),
        ("damaged_input", True),
    ):
        told = entry | {"pages": [{"status": "ok", "events": [{"kind": kind}]}]}
        assert Outcome(told, tmp_path / "a.json").is_alarm == alarm
    one = Result("sound", "a.pdf", "sound", 0, []).as_line() | {"commit": "x"}
    assert "false alarms: 1 of 2 sound PDFs" in summary([one, one | {"marked": True}])
    assert "0 mutants and 0 crafted" in summary([one])
