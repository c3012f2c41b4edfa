"""docspec as the client of a real vLLM: started, asked over HTTP, ended; the text is that of docspec's own engine.

``DOCSPEC_VLLM_PYTHON`` names the Python of an environment that has vLLM; without it these tests are skipped.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pymupdf
import pytest
from PIL import Image

from docspec import ParseOptions, Parser
from docspec.core import ModelError
from docspec.generation.interface import GenerationRequest
from docspec.generation.vllm import VllmGenerator, VllmSettings
from docspec.targets.registry import BUNDLED

PYTHON = os.environ.get("DOCSPEC_VLLM_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_VLLM_PYTHON names no Python that has vLLM")
ROOT = Path(__file__).parents[2]
ARGUMENTS = ("--enforce-eager", "--max-model-len", "4096", "--max-num-seqs", "16", "--no-enable-prefix-caching")
COMMON: dict[str, Any] = {"words": "model", "drafter": "text-layer", "dtype": "float32"}


@pytest.fixture(scope="module")
def vllm() -> Iterator[VllmGenerator]:
    told: list[str] = []
    settings = VllmSettings(str(BUNDLED), str(PYTHON), ARGUMENTS, "float32")
    generator = VllmGenerator(settings, tell=told.append)
    assert str(generator.child.log) in told[0] and "ready" in told[-1]
    assert generator.model.max_length == 4096
    assert generator.report()[0].counted is not None, "it speculates and says so"
    yield generator
    generator.close()
    assert not processes_of(generator.child.url), "something of it was left behind"


def processes_of(url: str) -> list[str]:
    """Command lines of processes that serve at ``url``."""
    port = url.rpartition(":")[2]
    found = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    return [line for line in found if "vllm.entrypoints" in line and f"--port {port}" in line]


@pytest.fixture(scope="module")
def samples() -> list[Path]:
    return [ROOT / "samples" / name for name in ("notes.pdf", "slides.pdf", "textbook.pdf")]


@pytest.mark.words_missing("the bundled reader reads, up to a few tokens")
@pytest.mark.parametrize("read", ["regions", "page"])
def test_documents_are_read_as_by_the_engine_here(vllm: VllmGenerator, samples: list[Path], read: Any) -> None:
    before = vllm.report()[0].counted
    with Parser(ParseOptions(server=(vllm.child.url,), read=read, **COMMON)) as parser:
        served = [page for document in parser.parse_many(samples) for page in document.pages]
    with Parser(ParseOptions(device="cpu", read=read, **COMMON)) as parser:
        own = [page for document in parser.parse_many(samples) for page in document.pages]
    assert [page.text for page in served] == [page.text for page in own] and all(page.text for page in own)
    assert [page.token_ids for page in served] == [page.token_ids for page in own]
    after = vllm.report()[0].counted
    assert before is not None and after is not None, "it speculates and says so"
    written = sum(len(page.token_ids) for page in served)
    assert after.accepted - before.accepted > 0.3 * written, "drafts came along and were accepted"


@pytest.mark.words_missing("the bundled reader reads, up to a few tokens")
def test_both_stages_write_the_same_page(vllm: VllmGenerator, samples: list[Path]) -> None:
    texts = []
    for stages in ("page", "both", "none"):
        options = ParseOptions(server=(vllm.child.url,), read="page", stages=stages, **COMMON)  # type: ignore[arg-type]
        with Parser(options) as parser:
            texts.append(parser.parse(samples[0]).pages[0].text)
    assert texts[0] == texts[1] == texts[2]


def test_a_cancelled_request_ends_on_the_server_too(vllm: VllmGenerator, samples: list[Path]) -> None:
    with pymupdf.open(samples[0]) as document:
        pixels = document[0].get_pixmap(dpi=200)
        page = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    asked = GenerationRequest(page, "", 2048)  # hundreds of tokens without a draft
    pieces: list[str] = []
    began, cancelled = threading.Event(), threading.Event()

    def take(piece: str) -> None:  # the client goes on when the request is cancelled, however late this thread is run
        pieces.append(piece)
        began.set()
        cancelled.wait(60)

    future = vllm.submit(asked, take)
    assert began.wait(60) and future.cancel(), future
    cancelled.set()
    end = time.monotonic() + 60
    while running(vllm.child.url) and time.monotonic() < end:
        time.sleep(0.1)
    assert running(vllm.child.url) == 0 and len("".join(pieces)) < len(vllm.submit(asked).result(60).text) / 2


def running(url: str) -> float:
    with urllib.request.urlopen(f"{url}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith("vllm:num_requests_running{"))


def test_a_request_that_is_too_long_says_so(vllm: VllmGenerator) -> None:
    from docspec.core import Failure, PageError

    with pytest.raises(PageError) as caught:
        vllm.submit(GenerationRequest(None, "word " * 9000, 16)).result(60)
    assert caught.value.failure is Failure.TOO_LARGE, str(caught.value)


def test_what_keeps_vllm_from_starting_is_said_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"vLLM ended before it could be asked: .*no-such-option.*its log|log is in"):
        VllmGenerator(VllmSettings(str(BUNDLED), str(PYTHON), ("--no-such-option",)))


def test_a_run_that_is_killed_takes_its_vllm_along(tmp_path: Path) -> None:
    script = (
        "from docspec.generation.vllm import VllmGenerator, VllmSettings\n"
        f"VllmGenerator(VllmSettings({str(BUNDLED)!r}, {str(PYTHON)!r}, {ARGUMENTS!r}, 'float32'),"
        " tell=lambda line: print(line, flush=True))\n"
    )
    run = psutil.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert "is started" in run.stdout.readline()
    end = time.monotonic() + 60
    while len(run.children(recursive=True)) < 2 and time.monotonic() < end:
        time.sleep(0.1)
    family = run.children(recursive=True)
    assert len(family) >= 2, "the keeper and vLLM"
    run.send_signal(signal.SIGKILL)
    run.wait()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert not alive
