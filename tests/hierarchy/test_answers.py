"""What engines elsewhere are asked, and when they are stopped."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from concurrent.futures import Future

import pytest

from docspec.core import PageError, ParseOptions
from docspec.core.observer import NullObserver
from docspec.dialects import make_dialect
from docspec.generation.interface import Generation, GenerationCounts, GenerationRequest, OnText
from docspec.hierarchy.answers import A_SECOND, MOST_CHARACTERS, TextGuard, ask, guarded, most_characters
from docspec.hierarchy.reading_context import ReadingContext
from docspec.targets.family import PublishedSight
from docspec.targets.model_profile import ModelProfile

TURN = "and so on and on, "


class Looping:
    """Writes the same words until it is cancelled, 2,000 times at most. It takes requests together."""

    name = "looping"

    def __init__(self) -> None:
        self.turns = 0

    def submit(self, request: GenerationRequest, on_text: OnText | None = None) -> Future[Generation]:
        [future] = self.submit_all([request], [on_text])
        return future

    def submit_all(
        self, requests: Sequence[GenerationRequest], listeners: Sequence[OnText | None]
    ) -> list[Future[Generation]]:
        futures = [Future[Generation]() for _ in requests]
        for future, on_text in zip(futures, listeners, strict=True):
            threading.Thread(target=self._write, args=(future, on_text), daemon=True).start()
        return futures

    def close(self) -> None: ...

    def _write(self, future: Future[Generation], on_text: OnText | None) -> None:
        for _ in range(2000):
            self.turns += 1
            try:
                if on_text is not None:
                    on_text(TURN)
            except Exception:
                future.cancel()
                return
        future.set_result(Generation(TURN * 2000, "length", GenerationCounts(10_000)))


class Long:
    """Answers with a text that repeats nothing, of ``size`` characters."""

    name = "long"

    def __init__(self, size: int) -> None:
        self._text = "".join(random.Random(7).choices("[]()!*_`|<>a1 \n", k=size))

    def submit(self, request: GenerationRequest, on_text: OnText | None = None) -> Future[Generation]:
        future = Future[Generation]()
        future.set_result(Generation(self._text, "stop", GenerationCounts(len(self._text))))
        return future

    def close(self) -> None: ...


def context_of(engine: object, **options: object) -> ReadingContext:
    dialect = make_dialect("markdown", page_prompt="Read.", crop_prompt="Read.")
    wanted = ParseOptions(words="model", model="olmOCR-2-7B-1025", engine="vllm", **options)  # type: ignore[arg-type]
    return ReadingContext(
        ModelProfile("markdown"),
        dialect,
        wanted,
        NullObserver(),
        PublishedSight(28),
        32_768,
        engine,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(("seconds", "most"), [(120.0, MOST_CHARACTERS), (2.0, 2 * A_SECOND)])
def test_no_pass_begins_on_an_answer_that_is_not_read_within_the_time_of_its_page(seconds: float, most: int) -> None:
    assert most_characters(seconds) == most
    request = [GenerationRequest(None, "Read.", 512)]
    [read] = ask(context_of(Long(most), page_timeout=seconds), request).answers
    assert len(read.text) == most
    with pytest.raises(PageError, match="--page-timeout"):
        ask(context_of(Long(1_000_000), page_timeout=seconds), request)


@pytest.mark.parametrize("mark", ["\n", "\r\n", " ", "\t", "\u3000", "\n  ", *"._-*#|~=·[<0"])
def test_runs_of_blanks_and_of_single_marks_are_loops(mark: str) -> None:
    kept, loop = guarded(f"Total 12 {mark * 1_500} End.")
    assert loop is not None and len(kept) < 60


def test_a_loop_is_cut_while_an_engine_that_takes_requests_together_writes_it() -> None:
    engine = Looping()
    answered = ask(context_of(engine), [GenerationRequest(None, "Read.", 8192)])
    [answer] = answered.answers
    assert answer.finish == "loop" and answer.text.startswith("and so on") and len(answer.text) < 400
    assert engine.turns < 300, "it was let write on"


class Streaming(Long):
    """Tells its text while it writes it."""

    def submit(self, request: GenerationRequest, on_text: OnText | None = None) -> Future[Generation]:
        assert on_text is not None
        for start in range(0, len(self._text), 1000):
            on_text(self._text[start : start + 1000])
        return super().submit(request)


@pytest.mark.parametrize("size", [A_SECOND, 6 * A_SECOND])
def test_an_answer_is_watched_once_and_no_further_than_it_is_read(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[str] = []
    take = TextGuard.take
    monkeypatch.setattr(
        TextGuard, "take", lambda guard, text, **last: watched.append(text) or take(guard, text, **last)
    )
    request = [GenerationRequest(None, "Read.", 8192)]
    context = context_of(Streaming(size), page_timeout=2.0)
    if size > 2 * A_SECOND:
        with pytest.raises(PageError, match="--page-timeout"):
            ask(context, request)
    else:
        assert len(ask(context, request).answers[0].text) == size
    assert sum(map(len, watched)) == min(size, 2 * A_SECOND)
