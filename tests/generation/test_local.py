"""The engine of the Python interface: a model's own answers, from any thread, with the drafts of the caller."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from pathlib import Path

import pytest
import torch
from PIL import Image

from docspec import Engine, GenerationRequest
from docspec.core import ModelError, PageError, UsageError
from docspec.generation.answer_text import AnswerText, StopStrings
from docspec.generation.interface import Generator, answers

TOKENS = 40


@pytest.fixture(scope="module")
def engine(lively_qwen: Path) -> Iterator[Engine]:
    with Engine(str(lively_qwen), device="cpu", dtype="float32") as found:
        yield found


@pytest.fixture(scope="module")
def pictures(printed_page: Image.Image) -> list[Image.Image]:
    return [printed_page.crop((0, 8 * i, 320 - 16 * i, 100 + 8 * i)) for i in range(4)]


@pytest.fixture(scope="module")
def expected(engine: Engine, pictures: list[Image.Image]) -> list[tuple[int, ...]]:
    """What transformers' own ``generate`` writes."""
    found = []
    for picture in pictures:
        inputs = engine.target.encode(picture, "Read.").inputs
        with torch.inference_mode():
            ids = engine.target.model.generate(**inputs, max_new_tokens=TOKENS, do_sample=False)
        written = ids[0, inputs["input_ids"].shape[1] :].tolist()
        ends = [at for at, token in enumerate(written) if token in engine.target.eos_ids]
        found.append(tuple(written[: min(ends, default=TOKENS)]))
    return found


def test_answers_are_those_of_generate_whatever_is_drafted(
    engine: Engine, pictures: list[Image.Image], expected: list[tuple[int, ...]]
) -> None:
    assert isinstance(engine, Generator)
    texts = [engine.target.detokenize(list(tokens)) for tokens in expected]
    for picture, tokens, text in zip(pictures, expected, texts, strict=True):
        for drafts in ((), (text,), ("nothing like it",), (texts[0][:20], text[10:])):
            found = engine.generate(picture, "Read.", drafts, max_tokens=TOKENS)
            assert (found.token_ids, found.text) == (tokens, text)
            assert found.finish == ("length" if len(tokens) == TOKENS else "stop")
            assert found.counts.tokens == len(tokens) and found.counts.steps is not None
        assert engine.generate(picture, "Read.", (text,), max_tokens=TOKENS).counts.accepted, (
            "its own text was no draft"
        )


def test_threads_share_it(engine: Engine, pictures: list[Image.Image], expected: list[tuple[int, ...]]) -> None:
    def ask(number: int) -> tuple[int, ...] | None:
        return engine.generate(pictures[number % 4], "Read.", max_tokens=TOKENS).token_ids

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(16))) == 4 * expected
    requests = [GenerationRequest(picture, "Read.", TOKENS) for picture in pictures]
    assert [found.token_ids for found in answers(engine, requests)] == expected


@pytest.mark.parametrize("most", [1, 2, TOKENS])
@pytest.mark.parametrize("baseline", [False, True])
def test_text_comes_in_pieces(engine: Engine, pictures: list[Image.Image], most: int, baseline: bool) -> None:
    for picture in pictures:
        pieces: list[str] = []
        request = GenerationRequest(picture, "Read.", most, plain=baseline, exclusive=baseline)
        whole = engine.submit(request, pieces.append).result(60)
        assert "".join(pieces) == whole.text and (whole.counts.tokens, whole.finish) == (most, "length")
        assert baseline or most < TOKENS or len(pieces) > 1


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, asyncio.CancelledError])
def test_who_has_heard_enough_cancels_his_own_request(
    engine: Engine, pictures: list[Image.Image], expected: list[tuple[int, ...]], error: type[BaseException]
) -> None:
    def enough(piece: str) -> None:
        raise error

    other = engine.submit(GenerationRequest(pictures[1], "Read.", TOKENS))
    with pytest.raises(CancelledError):
        engine.generate(pictures[0], "Read.", max_tokens=TOKENS, on_text=enough)
    assert other.result(60).token_ids == expected[1]
    assert engine.generate(pictures[0], "Read.", max_tokens=TOKENS).token_ids == expected[0]


@pytest.mark.parametrize("baseline", [False, True])
def test_who_waits_for_a_cancelled_request_is_woken_and_the_engine_goes_on(
    engine: Engine, pictures: list[Image.Image], baseline: bool
) -> None:
    endless = GenerationRequest(pictures[0], "Read.", 100_000, plain=baseline, exclusive=baseline)
    future = engine.submit(endless)
    time.sleep(0.5)
    future.cancel()
    assert wait([future], timeout=10).done == {future}
    began = time.monotonic()
    assert engine.generate(pictures[0], "Read.", max_tokens=1).counts.tokens == 1
    assert time.monotonic() - began < 10


def test_what_cannot_be_answered_fails_alone(engine: Engine, pictures: list[Image.Image]) -> None:
    with pytest.raises(PageError, match="images"):
        engine.generate(None, "Read.")
    long = "word " * engine.max_length
    futures = [engine.submit(GenerationRequest(pictures[0], prompt, 5)) for prompt in (long, "Read.")]
    with pytest.raises(PageError, match="tokens"):
        futures[0].result(60)
    assert futures[1].result(60).counts.tokens == 5
    for none in (0, -1):
        with pytest.raises(UsageError, match="max_tokens"):
            engine.generate(pictures[0], "Read.", max_tokens=none)
    with pytest.raises(PageError, match="aspect ratio"):
        engine.generate(Image.new("RGB", (3000, 1)), "Read.", max_tokens=5)


def test_half_a_pair_of_surrogates_changes_no_answer(engine: Engine, pictures: list[Image.Image]) -> None:
    plain = engine.generate(pictures[0], "Read ?.", max_tokens=5)
    assert engine.generate(pictures[0], "Read \ud800.", ("\udc00 it",), max_tokens=5).token_ids == plain.token_ids


def test_after_its_end_it_answers_nothing(lively_qwen: Path, pictures: list[Image.Image]) -> None:
    engine = Engine(str(lively_qwen), device="cpu", dtype="float32")
    futures = [engine.submit(GenerationRequest(picture, "Read.", 300)) for picture in pictures]
    engine.close()
    for future in (*futures, engine.submit(GenerationRequest(pictures[0], "Read.", 5))):
        with pytest.raises(ModelError, match="closed"):
            future.result(10)
    with pytest.raises(ModelError):
        Engine("/nowhere/at/all")


@pytest.mark.parametrize("prompt", ["Read.", "word " * 100_000], ids=["answered", "too long"])
def test_who_hears_of_an_answer_may_close_it(lively_qwen: Path, pictures: list[Image.Image], prompt: str) -> None:
    engine = Engine(str(lively_qwen), device="cpu", dtype="float32")
    errors: list[BaseException | None] = []

    def close(_: object) -> None:
        try:
            engine.close()
            errors.append(None)
        except BaseException as error:
            errors.append(error)

    engine.submit(GenerationRequest(pictures[0], prompt, 5)).add_done_callback(close)
    end = time.monotonic() + 60
    while not errors and time.monotonic() < end:
        time.sleep(0.01)
    assert errors == [None]


def test_a_program_that_does_not_close_it_ends_well(lively_qwen: Path) -> None:
    program = f"""
import time
from PIL import Image
from docspec import Engine, GenerationRequest
engine = Engine({str(lively_qwen)!r}, device="cpu", dtype="float32")
for _ in range(20):
    engine.submit(GenerationRequest(Image.new("RGB", (320, 100), "white"), "Read.", 100_000))
time.sleep(1)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_process_is_told_to_make_its_own(engine: Engine, pictures: list[Image.Image]) -> None:
    engine.generate(pictures[0], "Read.", max_tokens=1)
    reading, writing = os.pipe()
    if not (child := os.fork()):
        try:
            engine.submit(GenerationRequest(pictures[0], "Read.", 1)).result(20)
        except BaseException as error:
            os.write(writing, f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        assert answer.read().startswith("ModelError: this engine belongs to the process that forked this one")
    os.waitpid(child, 0)


def test_text_is_told_whole_characters_and_nothing_that_may_be_a_stop() -> None:
    words = {1: "so ", 2: "\ufffd", 3: "é", 4: "ST", 5: "OP", 6: "ART"}
    spellings = {(1, 2): "so \ufffd", (1, 2, 3): "so é"}

    def decode(tokens: list[int]) -> str:
        return spellings.get(tuple(tokens), "".join(words[token] for token in tokens if token != 2))

    writing, rule = AnswerText(decode, ("STOP",)), StopStrings(decode, ("STOP",))
    told, tokens = [], []
    for token in (1, 2, 3, 4, 6, 4, 5, 1):
        tokens.append(token)
        if rule.observe(token) is not None:
            break
        told.append(writing.grown(tokens))
    assert told == ["so ", "", "é", "", "START", ""] and tokens[-1] == 5
    assert writing.rest(tokens) == "" and writing.whole(tokens) == "so éSTART"
