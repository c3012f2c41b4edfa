"""What engines elsewhere are asked, and when they are stopped."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future

from docspec.core import ParseOptions
from docspec.core.observer import NullObserver
from docspec.dialects import make_dialect
from docspec.generation.interface import Generation, GenerationCounts, GenerationRequest, OnText
from docspec.hierarchy.answers import ask
from docspec.hierarchy.reading_context import ReadingContext
from docspec.targets.model_profile import ModelProfile
from docspec.targets.sight import PublishedSight

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


def test_a_loop_is_cut_while_an_engine_that_takes_requests_together_writes_it() -> None:
    engine = Looping()
    dialect = make_dialect("markdown", page_prompt="Read.", crop_prompt="Read.")
    options = ParseOptions(words="model", model="olmOCR-2-7B-1025", engine="vllm")
    context = ReadingContext(
        ModelProfile("markdown"), dialect, options, NullObserver(), PublishedSight(28), 32_768, engine
    )
    answered = ask(context, [GenerationRequest(None, "Read.", 8192)])
    [answer] = answered.answers
    assert answer.finish == "loop" and answer.text.startswith("and so on") and len(answer.text) < 400
    assert engine.turns < 300, "it was let write on"
