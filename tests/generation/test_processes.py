"""Engines in processes of their own: each has the model once, one that dies costs nothing but its work, the last one
all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, wait
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from docspec import ParseOptions, Parser, verifier
from docspec.core import Failure, ModelError, PageError, PageResult, UsageError
from docspec.core.observer import NullObserver
from docspec.corpus.job import CorpusOptions
from docspec.generation.interface import GenerationRequest, Generator, answers
from docspec.generation.member import EnginePlace
from docspec.generation.processes import EngineProcesses
from docspec.opening import devices_of
from tests.generation import engine_doubles as doubles
from tests.isolation.conftest import written
from tests.isolation.test_ends import gone, is_running

PATIENCE = 60
ROOT = Path(__file__).parents[2]

BOTH = ("cuda:0", "cuda:1")


@pytest.fixture
def processes() -> Iterator[Callable[..., EngineProcesses]]:
    """``processes(places, make, ...)``: ended after the test."""
    made: list[EngineProcesses] = []

    def start(places: Sequence[str] = BOTH, make: Any = doubles.EngineDouble, *more: Any) -> EngineProcesses:
        made.append(EngineProcesses([EnginePlace(each, partial(make, each, *more)) for each in places]))
        return made[-1]

    yield start
    for one in made:
        one.close()


def asked(prompt: str, *drafts: str) -> GenerationRequest:
    return GenerationRequest(Image.new("RGB", (40, 30)), prompt, 10, drafts)


def text_of(engine: EngineProcesses, prompt: str) -> str:
    return engine.submit(asked(prompt)).result(PATIENCE).text


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_each_place_has_a_process_of_its_own_and_all_work(processes: Callable[..., EngineProcesses]) -> None:
    both = processes()
    assert isinstance(both, Generator) and both.follows_fields and both.names == list(BOTH)
    assert [one.facts["pid"] for one in both.opened] == both.pids and len({os.getpid(), *both.pids}) == 3
    found = [one.text.split() for one in answers(both, [asked("slow")] * 8)]
    assert [words[:3] for words in found] == [["slow", "(40,", "30)"]] * 8
    assert sorted(words[3] for words in found) == sorted([*map(str, both.pids)] * 4), "each had half of them"
    assert both.steps == 4


def test_a_request_that_takes_its_process_along_fails_alone(processes: Callable[..., EngineProcesses]) -> None:
    both = processes()
    before = set(both.pids)
    futures = [both.submit(asked(prompt)) for prompt in ["slow"] * 3 + ["abort", "lost"] + ["slow"] * 9]
    found = [future.exception(PATIENCE) for future in futures]
    failed = [error for error in found if error is not None]
    assert all(isinstance(error, PageError) for error in failed) and len(failed) == 2
    assert [error.failure for error in failed] == [Failure.CRASHED, Failure.DEVICE_LOST]  # type: ignore[attr-defined]
    assert str(failed[0]).endswith("crashed (SIGABRT)") and "illegal memory access" in str(failed[1])
    assert text_of(both, "after").startswith("after") and not before & set(both.pids)


def test_a_request_that_is_answered_once_more_is_alone_in_its_process(
    processes: Callable[..., EngineProcesses],
) -> None:
    """Two at a time: the second that ends its process waits, until the one that died beside the first is answered."""
    one = processes(["cuda:0"], doubles.EngineDouble, 1)
    futures = [one.submit(asked(prompt)) for prompt in ("abort", "slow", "abort", "slow")]
    for future in futures[1::2]:
        assert future.result(PATIENCE).text.startswith("slow")
    for future in futures[::2]:
        with pytest.raises(PageError, match="crashed"):
            future.result(PATIENCE)


def test_what_a_request_fails_with_is_its_own(processes: Callable[..., EngineProcesses]) -> None:
    both = processes()
    before = both.pids
    for prompt, said, failure in (
        ("refused", "too long", Failure.TOO_LARGE),
        ("memory", "--dpi", Failure.OUT_OF_MEMORY),
    ):
        with pytest.raises(PageError, match=said) as raised:
            text_of(both, prompt)
        assert raised.value.failure is failure
    assert both.pids == before


def test_processes_that_are_killed_are_replaced(processes: Callable[..., EngineProcesses]) -> None:
    both = processes()
    for pid in both.pids:
        os.kill(pid, signal.SIGKILL)
        assert gone(pid)
    for number in range(4):
        assert text_of(both, f"page {number}").startswith(f"page {number}")


def test_a_text_that_is_begun_anew_is_told_once(processes: Callable[..., EngineProcesses], tmp_path: Path) -> None:
    pieces: list[str] = []
    one = processes(["cuda:0"])
    future = one.submit(asked("told at once and then again", str(tmp_path / "died")), pieces.append)
    assert future.result(PATIENCE).text.startswith("told at once") and (tmp_path / "died").exists()
    assert "".join(pieces) == "toldatonceandthenagain"


def test_cancelled_requests_make_room(processes: Callable[..., EngineProcesses]) -> None:
    """Two of them would fill the process for ever, one waits behind them."""
    one = processes(["cuda:0"], doubles.EngineDouble, 1)
    forever = [one.submit(asked("waits")) for _ in range(3)]
    last = one.submit(asked("page"))
    listening = one.submit(asked("stop here"), lambda piece: 1 // 0)
    for future in forever:
        future.cancel()
    assert last.result(PATIENCE).text.startswith("page")
    with pytest.raises(CancelledError):
        listening.result(PATIENCE)


def test_who_waits_for_cancelled_requests_is_woken(processes: Callable[..., EngineProcesses]) -> None:
    both = processes()
    futures = [both.submit(asked("waits")) for _ in range(2)]
    futures[0].cancel()
    assert wait(futures[:1], PATIENCE).done == {futures[0]}
    both.close()
    assert wait(futures, PATIENCE).done == set(futures)


def test_what_waits_fails_at_the_end(processes: Callable[..., EngineProcesses]) -> None:
    one = processes(["cuda:0"], doubles.EngineDouble, 1)
    forever = [one.submit(asked("waits")) for _ in range(3)]
    pids = one.pids
    one.close()
    assert all(future.cancelled() for future in forever) and all(map(gone, pids))
    with pytest.raises(ModelError, match="closed"):
        one.submit(asked("page"))


def test_where_a_device_is_gone_the_others_go_on_until_none_is_left(
    processes: Callable[..., EngineProcesses], tmp_path: Path
) -> None:
    both = processes(BOTH, doubles.OnceAlone, str(tmp_path))
    first, second = both.pids
    os.kill(first, signal.SIGKILL)
    for number in (1, 2, 3):
        assert text_of(both, f"page {number}").startswith("page")
    until(lambda: both.names == ["cuda:1"])
    os.kill(second, signal.SIGKILL)
    for _ in range(2):
        with pytest.raises(ModelError, match=r"no process is left.*the device is gone"):
            text_of(both, "page")


def test_a_process_that_dies_of_loading_the_model_is_started_again(
    processes: Callable[..., EngineProcesses], tmp_path: Path
) -> None:
    both = processes(BOTH, doubles.DiesLoading, 1, str(tmp_path))
    assert both.names == list(BOTH) and both.lost == () and text_of(both, "page").startswith("page")


def test_one_that_dies_right_after_loading_is_started_again(
    processes: Callable[..., EngineProcesses], tmp_path: Path
) -> None:
    one = processes(["cuda:0"], doubles.DiesLoaded, str(tmp_path))
    assert text_of(one, "page").startswith("page") and (tmp_path / "died").exists()


def test_a_device_on_which_loading_always_dies_is_left_to_the_others(
    processes: Callable[..., EngineProcesses], tmp_path: Path
) -> None:
    some = processes(("cuda:0", "cuda:0", "cuda:1"), doubles.DiesLoading, 9, str(tmp_path))
    assert some.names == ["cuda:1"] and len(some.lost) == 2
    assert all("cuda:0: loading the model crashed" in why for why in some.lost)
    assert text_of(some, "page").startswith("page")
    with pytest.raises(ModelError, match="loading the model"):
        processes(("cuda:0",), doubles.DiesLoading, 9, str(tmp_path))


def test_any_error_of_loading_costs_its_place_alone(processes: Callable[..., EngineProcesses], tmp_path: Path) -> None:
    both = processes(BOTH, doubles.Faulty, 1, str(tmp_path))
    assert both.names == ["cuda:1"] and "while measuring" in both.lost[0]
    assert text_of(both, "page").startswith("page")
    with pytest.raises(ModelError, match="while measuring"):
        processes(["cuda:0"], doubles.Faulty, 1, str(tmp_path))


def test_any_error_of_loading_again_ends_the_waiting(processes: Callable[..., EngineProcesses], tmp_path: Path) -> None:
    one = processes(["cuda:0"], doubles.Faulty, 2, str(tmp_path))
    waiting = [one.submit(asked("waits")) for _ in range(3)]
    os.kill(one.pids[0], signal.SIGKILL)
    for future in waiting:
        with pytest.raises(ModelError, match="while measuring"):
            future.result(PATIENCE)


def test_what_cannot_be_sent_harms_nobody_else(processes: Callable[..., EngineProcesses]) -> None:
    one = processes(["cuda:0"], doubles.EngineDouble, 1)
    odd = GenerationRequest(None, "odd", 10, grammar=lambda: None)
    futures = one.submit_all([asked("slow"), odd, asked("unsendable"), asked("page")])
    with pytest.raises(PageError, match="cannot be sent"):
        futures[1].result(PATIENCE)
    assert "pickle" in str(futures[2].exception(PATIENCE))
    assert futures[0].result(PATIENCE).text.startswith("slow") and futures[3].result(PATIENCE).text.startswith("page")


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no job control")
def test_a_process_that_does_not_read_stops_nobody_else(processes: Callable[..., EngineProcesses]) -> None:
    both = processes(BOTH, doubles.EngineDouble, 2)
    stopped, _ = both.pids
    os.kill(stopped, signal.SIGSTOP)
    large = GenerationRequest(Image.new("RGB", (1500, 1500)), "page", 10)
    futures = both.submit_all([large] * 12)
    until(lambda: sum(future.done() for future in futures) >= 6)
    both.close()
    assert gone(stopped)


def test_a_process_that_hangs_is_replaced_and_one_that_works_long_is_not(tmp_path: Path) -> None:
    places = [EnginePlace(each, partial(doubles.EngineDouble, each), silence=4.0) for each in BOTH]
    with EngineProcesses(places) as both:
        before = both.pids
        long, hung = both.submit(asked("long")), both.submit(asked(f"hangs {tmp_path / 'mark'}"))
        assert hung.result(PATIENCE).text.startswith("hangs"), "it was asked once more"
        assert long.result(PATIENCE).text.split()[-1] in map(str, before), "its steps were heard of"
        assert len(set(both.pids) & set(before)) == 1
        for each in both.pids:
            os.kill(each, signal.SIGSTOP)
        with pytest.raises(PageError, match="made no step for 4 s"):
            both.submit(asked("waits")).result(PATIENCE)
        assert text_of(both, "after").startswith("after")


def test_they_can_be_closed_by_whoever_hears_of_an_answer(processes: Callable[..., EngineProcesses]) -> None:
    both = processes()
    pids, ended = both.pids, threading.Event()
    future = both.submit(asked("page"))
    future.add_done_callback(lambda done: (both.close(), ended.set()))
    assert ended.wait(PATIENCE) and all(map(gone, pids))


def test_an_interpreter_that_is_none_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No such file"):
        EngineProcesses([EnginePlace("x", partial(doubles.EngineDouble, "x"), tmp_path / "python")])
    bare = tmp_path / "bare.py"
    bare.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no docspec here')\n")
    bare.chmod(0o755)
    with pytest.raises(ModelError, match="no docspec here"):
        EngineProcesses([EnginePlace("x", partial(doubles.EngineDouble, "x"), bare, quiet=True)])


def test_large_answers_and_large_pictures_pass_each_other(processes: Callable[..., EngineProcesses]) -> None:
    one = processes(["cuda:0"])
    request = GenerationRequest(Image.new("RGB", (1500, 1500)), "large", 10)
    found = one.submit_all([request] * 40)
    assert {len(future.result(PATIENCE).text) for future in found} == {500_000}


def test_a_process_that_dies_without_work_is_given_up(processes: Callable[..., EngineProcesses]) -> None:
    one = processes(["cuda:0"], doubles.DiesIdle)
    until(lambda: not one.names)
    with pytest.raises(ModelError, match=r"no process is left.*SIGABRT"):
        text_of(one, "page")


def test_an_interrupt_while_the_model_is_loaded_ends_at_once(tmp_path: Path) -> None:
    program = tmp_path / "run.py"
    program.write_text(
        "from functools import partial\nfrom docspec.generation.member import Place\n"
        "from docspec.generation.processes import EngineProcesses\n"
        "from tests.generation import engine_doubles as doubles\n"
        "import os, signal, threading\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "threading.Timer(3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "EngineProcesses([Place(name, partial(doubles.Slow, name)) for name in ('a', 'b')])\n"
    )
    ran = subprocess.run(
        [sys.executable, program], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=PATIENCE
    )
    assert ran.returncode not in (0, None)


def test_another_thread_can_end_the_loading() -> None:
    places = [EnginePlace(name, partial(doubles.Slow, name)) for name in BOTH]
    begun: list[EngineProcesses] = []
    threading.Timer(1, lambda: begun[0].close()).start()
    start = time.monotonic()
    with pytest.raises(ModelError):
        EngineProcesses(places, begun=begun.append)
    assert time.monotonic() - start < PATIENCE and not any(map(is_running, begun[0].pids))


def test_a_verifier_is_closed_while_its_devices_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """By several threads, each of which would load them after the other."""
    places = [EnginePlace(name, partial(doubles.Slow, name)) for name in BOTH]
    monkeypatch.setattr(verifier, "start_devices", lambda options, names, begun: EngineProcesses(places, begun=begun))
    made = verifier.Verifier(ParseOptions(words="model"), NullObserver(), BOTH)
    failed: list[BaseException] = []

    def read() -> None:
        try:
            made.reader()
        except ModelError as error:
            failed.append(error)

    threads = [threading.Thread(target=read, daemon=True) for _ in BOTH]
    for thread in threads:
        thread.start()
    until(lambda: made._begun)
    made.close()
    until(lambda: len(failed) == 2 or (made.close(), False)[1])  # one that had not begun yet begins after the end


def test_many_threads_share_them(processes: Callable[..., EngineProcesses]) -> None:
    """While processes are killed: each request is answered once, with its own text."""
    both = processes()
    found: dict[int, str] = {}

    def ask(number: int) -> None:
        for turn in range(5):
            found[10 * number + turn] = text_of(both, f"page {10 * number + turn}")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        for pid in both.pids[:1]:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
    for thread in threads:
        thread.join(PATIENCE)
    assert {number: text.split(" (")[0] for number, text in found.items()} == {
        10 * number + turn: f"page {10 * number + turn}" for number in range(8) for turn in range(5)
    }


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


@pytest.mark.parametrize("stages", ["page", "both", "auto"])
def test_results_do_not_depend_on_the_number_of_processes(lively_qwen: Path, tmp_path: Path, stages: Any) -> None:
    paths = [written(tmp_path / f"{name}.pdf", pages) for name, pages in (("a", 3), ("b", 1))]
    drafter: Any = "none" if stages == "page" else "text-layer"
    options = ParseOptions(
        model=str(lively_qwen), max_tokens=8, dtype="float32", device="cpu", drafter=drafter, stages=stages, dpi=60
    )
    with Parser(options) as parser:
        alone = [page for path in paths for page in parser.pages(path)]
    with Parser(options, devices=("cpu", "cpu")) as parser:
        assert parser.target_info.device == "cpu, cpu" and parser.target_info.parameters > 0
        found = [page for reading in parser.documents(paths) for page in reading]
        assert parser.step_report is not None
        assert parser.engine_report is None
    assert list(map(written_of, found)) == list(map(written_of, alone))


def test_the_origin_of_tokens_is_known_of_devices_too(lively_qwen: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "a.pdf", 1)
    options = ParseOptions(
        model=str(lively_qwen),
        words="model",
        max_tokens=8,
        dtype="float32",
        device="cpu",
        drafter="text-layer",
        provenance=True,
        dpi=60,
    )
    with Parser(options) as parser:
        [alone] = parser.pages(path)
    with Parser(options, devices=("cpu",)) as parser:
        [found] = parser.pages(path)
    assert alone.provenance is not None and found.provenance is not None
    assert (found.provenance.spans, found.provenance.origins) == (alone.provenance.spans, alone.provenance.origins)


def test_devices_exclude_a_baseline_and_ray() -> None:
    with pytest.raises(UsageError, match="--baseline"):
        Parser(ParseOptions(baseline=True), devices=("cpu",))
    with pytest.raises(UsageError, match="ray-actors"):
        CorpusOptions(devices="0,1", scheduler="ray")
