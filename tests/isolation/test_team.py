"""Several verifying processes: each has the model once, one that dies costs nothing but its work, the last one all."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

from docspec import ParseOptions, Parser
from docspec.core import Failure, ModelError, PageImage, PageResult, UsageError
from docspec.corpus.options import CorpusOptions
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.team import Team
from docspec.lookahead import lookahead
from docspec.targets.devices import devices_of
from tests.isolation import doubles
from tests.isolation.conftest import written
from tests.isolation.test_ends import gone


@pytest.fixture
def team() -> Iterator[Callable[..., Team]]:
    """``team(devices, make, prompt=...)``: ended after the test."""
    made: list[Team] = []

    def start(devices: tuple[str, ...], make: type = doubles.VerifierDouble, **options: str) -> Team:
        made.append(Team(ParseOptions(**options), devices, make))  # type: ignore[arg-type]
        return made[-1]

    yield start
    for one in made:
        one.close()


def prepared(number: int) -> DraftedPage:
    return DraftedPage(PageImage(Image.new("RGB", (40, 30), (number, 0, 0)), number, 1.0, "a.pdf"))


def pids(team: Team) -> list[int]:
    return [member._child.pid for member in team.members if member._child is not None]


def test_each_device_has_a_process_of_its_own(team: Callable[..., Team]) -> None:
    both = team(("cuda:0", "cuda:1"))
    assert both.info.device == "cuda:0, cuda:1"
    assert both.info.pid == pids(both)[0] and len({os.getpid(), *pids(both)}) == 3
    assert [member._load[1].device for member in both.members] == ["cuda:0", "cuda:1"]
    assert [member._load[2] for member in both.members] == [1, 1], "they share no processors"
    assert [member._load[2] for member in team(("cpu", "cpu")).members] == [2, 2]


def test_a_page_that_takes_its_process_along_fails_alone(team: Callable[..., Team]) -> None:
    both = team(("cuda:0", "cuda:1"))
    before = set(pids(both))
    pages = [prepared(number) for number in range(1, 9)]
    groups = iter([pages[:3], pages[3:6], pages[6:]])
    found = [result for group in lookahead(groups, [both.verify] * 2, 4) for result in group]
    assert [result.number for result in found] == list(range(1, 9))
    assert [result.failure for result in found if result.status == "failed"] == [Failure.CRASHED, Failure.DEVICE_LOST]
    assert found[3].error == "a.pdf, page 4: verifying it crashed (SIGABRT)"
    for page, result in zip(pages, found, strict=True):
        assert result.status == "failed" or (result.text, result.image) == (f"page {result.number}", page.page.image)
    assert both.verify(pages[:1])[0].status == "ok" and not before >= set(pids(both))


def test_processes_that_are_killed_are_replaced(team: Callable[..., Team]) -> None:
    both = team(("cuda:0", "cuda:1"))
    for pid in pids(both):
        os.kill(pid, signal.SIGKILL)
        assert gone(pid)
    for number in (1, 2, 3):
        assert both.verify([prepared(number)])[0].text == f"page {number}"


def test_where_a_device_is_gone_the_others_go_on_until_none_is_left(team: Callable[..., Team], tmp_path: Path) -> None:
    both = team(("cuda:0", "cuda:1"), doubles.OnceAlone, prompt=str(tmp_path))
    first, second = (member._child for member in both.members)
    assert first is not None and second is not None
    os.kill(first.pid, signal.SIGKILL)
    for number in (1, 2, 3):
        assert both.verify([prepared(number)])[0].status == "ok"
    assert pids(both) == [second.pid]
    os.kill(second.pid, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(ModelError, match="no device is left"):
            both.verify([prepared(1)])


def test_devices_are_named_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a double for their count: no test here has a GPU."""
    assert devices_of("0,1", lambda: 2) == devices_of("cuda:0, cuda:1", lambda: 2) == ("cuda:0", "cuda:1")
    assert devices_of("all", lambda: 3) == ("cuda:0", "cuda:1", "cuda:2")
    assert devices_of("1,1", lambda: 2) == ("cuda:1", "cuda:1")
    assert devices_of("cpu,cpu", lambda: 1 // 0) == ("cpu", "cpu")
    for text in ("", "0,", "0,all", "mps", "-1", "cuda", "0;1"):
        with pytest.raises(UsageError, match="like 0,1 or all"):
            devices_of(text, lambda: 8)
    for text, count in (("all", 0), ("0", 0), ("0,2", 2)):
        with pytest.raises(ModelError, match=f"has {count} usable"):
            devices_of(text, lambda count=count: count)  # type: ignore[misc]


def written_of(page: PageResult) -> tuple[object, ...]:
    """What is written of ``page``: nothing of how it was drafted or how long it took."""
    assert page.image is not None
    return page.number, page.status, page.text, page.token_ids, page.blocks, page.image.tobytes()


def test_results_do_not_depend_on_the_number_of_processes(lively_qwen: Path, tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{name}.pdf", pages) for name, pages in (("a", 3), ("b", 1))]
    options = ParseOptions(
        model=str(lively_qwen), max_tokens=8, dtype="float32", device="cpu", drafter="none", stages="page", dpi=60
    )
    with Parser(options) as parser:
        alone = [page for path in paths for page in parser.pages(path)]
    with Parser(options, devices=("cpu", "cpu")) as parser:
        assert parser.target_info.device == "cpu, cpu" and parser.target_info.parameters > 0
        found = [page for reading in parser.documents(paths) for page in reading]
        assert parser.step_report is not None
    assert list(map(written_of, found)) == list(map(written_of, alone))


def test_devices_exclude_a_baseline_and_ray() -> None:
    with pytest.raises(UsageError, match="--baseline"):
        Parser(ParseOptions(baseline=True), devices=("cpu",))
    with pytest.raises(UsageError, match="--ray-actors"):
        CorpusOptions(devices="0,1", scheduler="ray")


def test_a_process_that_dies_of_loading_the_model_is_started_again(team: Callable[..., Team], tmp_path: Path) -> None:
    both = team(("cuda:0", "cuda:1"), doubles.DiesLoading, prompt=f"1 {tmp_path}")
    assert len({member._child.pid for member in both.members if member._child}) == 2
    assert both.verify([prepared(1)])[0].text == "page 1"


def test_a_device_on_which_loading_always_dies_is_left_to_the_others(team: Callable[..., Team], tmp_path: Path) -> None:
    some = team(("cuda:0", "cuda:0", "cuda:1"), doubles.DiesLoading, prompt=f"9 {tmp_path}")
    assert some.info.device == "cuda:1" and all("cuda:0: loading the model" in why for why in some.lost)
    assert [member.is_closed for member in some.members] == [True, True, False]
    assert some.verify([prepared(1)])[0].text == "page 1"
    with pytest.raises(ModelError, match="loading the model"):
        team(("cuda:0",), doubles.DiesLoading, prompt=f"9 {tmp_path}")
