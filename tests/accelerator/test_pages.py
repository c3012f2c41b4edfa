"""Whole pages on an accelerator: both stages, regions, several at a time, a process on each device, and what is left of
a page when memory runs out or the device is lost."""

from __future__ import annotations

import os
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from docspec import ParseOptions, Parser
from docspec.core import BBox, Category, PageDraft, PageImage, Region
from docspec.core.result import Failure
from docspec.drafting.drafted_page import DraftedPage
from tests.isolation.conftest import written

ROOT = Path(__file__).parents[2]


def page_of(number, height=128):
    noise = random.Random(number).randbytes(256 * height)
    return PageImage(Image.frombytes("L", (256, height), noise).convert("RGB"), number, 1.0, f"{number}.png")


def drafted(number, text, height=128):
    regions = tuple(Region(BBox(0, y, 250, y + 50), Category.TEXT, (text,)) for y in (0, 64))
    return DraftedPage(page_of(number, height), PageDraft(regions, "text-layer"))


PAGES = (drafted(1, "some words"), drafted(2, "others " * 9, 192), drafted(3, "x y z", 96))


def parser_with(model, loaded=None, **said):
    settings = {"device": "cpu", "dtype": "float32", "max_tokens": 16, "stages": "both", **said}
    parser = Parser(ParseOptions(model=str(model), **settings))
    if loaded is not None:
        parser.loaded = loaded
    return parser


def pages_with(model, **said):
    return parser_with(model, **said).page_parser


def tokens_of(pages):
    return [page.token_ids for page in pages]


@pytest.fixture(scope="module")
def expected(lively_qwen):
    """By stages, and by how a page is read: the CPU's tokens."""
    ways = [{"stages": "both"}, {"stages": "page"}, {"stages": "auto"}, {"stages": "both", "read": "regions"}]
    return [(way, tokens_of(map(pages_with(lively_qwen, **way).verify, PAGES))) for way in ways]


@pytest.mark.parametrize(("graphs", "where"), [("off", "openreg:1"), ("cuda", "openreg:0")])
def test_pages_are_read_as_on_the_cpu(lively_qwen, expected, graphs, where):
    loaded = None
    for way, tokens in expected:
        parser = parser_with(lively_qwen, loaded, device=where, graphs=graphs, pages_in_flight=3, **way)
        loaded, pages = parser.loaded, parser.page_parser
        assert tokens_of(map(pages.verify, PAGES)) == tokens, way
        assert tokens_of(pages.verify_all(PAGES)) == tokens, way
        assert pages.context.engine.target.steps.report.mode == ("eager" if graphs == "off" else "cuda")


def test_a_process_on_each_device(lively_qwen, tmp_path, monkeypatch):
    """They find the simulated device as they would an out-of-tree one: by torch's entry point."""
    package = tmp_path / "entry"
    facts = package / "simulated_device-1.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: simulated-device\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[torch.backends]\nsimulated = simulated_device:load\n")
    (package / "simulated_device.py").write_text(
        f"import sys\nsys.path.append({str(ROOT)!r})\n"
        "def load():\n    from tests.accelerator import openreg\n    openreg.register()\n"
    )
    monkeypatch.syspath_prepend(str(package))
    path = os.pathsep.join([str(package), str(ROOT), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    file = written(tmp_path / "a.pdf", 3)
    said = {"model": str(lively_qwen), "max_tokens": 8, "dtype": "float32", "drafter": "none", "dpi": 60}
    with Parser(ParseOptions(device="cpu", stages="page", **said)) as parser:
        alone = tokens_of(parser.pages(file))
    with Parser(ParseOptions(stages="page", **said), devices=("openreg:0", "openreg:1")) as parser:
        found = [page for reading in parser.documents([file]) for page in reading]
        assert parser.target_info.device == "openreg:0, openreg:1"
    assert [page.error for page in found] == [None] * 3
    assert tokens_of(found) == alone
    assert "torch" in sys.modules


@pytest.mark.parametrize("graphs", ["off", "cuda"])
def test_memory_that_runs_out_costs_a_page_its_speed_or_itself(device, lively_qwen, graphs):
    """Wherever it runs out: the page is the CPU's or has failed for that reason, and the next one is whole."""
    pages = pages_with(lively_qwen, device="openreg:0", graphs=graphs)
    page = PAGES[0]
    whole = [pages.verify(page) for _ in range(2)][-1]
    with device.out_of_memory_after(1 << 40) as counted:
        before = device._library.allocations_left_now()
        pages.verify(page)
        allocations = before - device._library.allocations_left_now()
    assert not counted.happened and allocations > 100
    outcomes = set()
    for number in range(0, allocations, allocations // 5):
        with device.out_of_memory_after(number) as memory:
            result = pages.verify(page)
        if memory.happened and result.failure is not None:
            assert result.failure is Failure.OUT_OF_MEMORY, result.error
        else:
            assert result.token_ids == whole.token_ids
        outcomes.add((result.status, bool(result.events)))
        again = pages.verify(page)
        assert (again.status, again.token_ids) == (whole.status, whole.token_ids)
    assert len(outcomes) > 0 and any(status == "ok" for status, _ in outcomes)


def test_a_lost_device_is_told_and_the_next_process_reads_on(device, lively_qwen):
    pages = pages_with(lively_qwen, device="openreg:0", graphs="cuda")
    whole = pages.verify(PAGES[0])
    with device.lost_after(500):
        lost = [pages.verify(replace(PAGES[0])) for _ in range(2)]
    assert [page.failure for page in lost] == [Failure.DEVICE_LOST] * 2
    assert all("start it anew" in page.error for page in lost)
    anew = pages_with(lively_qwen, device="openreg:0", graphs="cuda")
    assert anew.verify(PAGES[0]).token_ids == whole.token_ids


@pytest.mark.parametrize(("in_flight", "beside"), [(1, False), (2, True)])
def test_the_prompt_of_the_next_page_is_made_while_the_device_steps(device, lively_qwen, in_flight, beside):
    """With several pages in flight: the second prompt waits for a step to be run meanwhile, and gets it. The first step
    waits for that prompt to be begun."""
    pages = pages_with(lively_qwen, device="openreg:0", graphs="cuda", stages="page", pages_in_flight=in_flight)
    engine = pages.context.engine
    steps, encoder = engine.target.steps, engine._encoder
    stepped, run, encode_all, while_stepping = threading.Condition(), steps.run, encoder.encode_all, []
    count = prompts = 0

    def counted(*given):
        nonlocal count
        with stepped:
            count += 1
            stepped.notify_all()
            stepped.wait_for(lambda: prompts > 1, 20.0 if beside else 0.0)
        return run(*given)

    def waiting(asked):
        nonlocal prompts
        with stepped:
            before, prompts = count, prompts + 1
            stepped.notify_all()
            while_stepping.append(stepped.wait_for(lambda: count > before, 20.0 if prompts == 2 and beside else 0.1))
        return encode_all(asked)

    steps.run, encoder.encode_all = counted, waiting
    if in_flight == 1:
        results = [pages.verify(page) for page in PAGES]
    else:
        first, *others = PAGES
        with ThreadPoolExecutor(3) as threads:
            begun = [threads.submit(pages.verify, first)]
            with stepped:
                assert stepped.wait_for(lambda: count > 0, 60)
            begun += [threads.submit(pages.verify, page) for page in others]
            results = [one.result() for one in begun]
    assert [page.status for page in results] == ["ok"] * 3
    assert while_stepping[0] is False and any(while_stepping) is beside
