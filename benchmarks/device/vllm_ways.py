"""A scripted model in vLLM over HTTP: without drafts, with docspec's, ``ngram``, the model's own head, and both.

Each way is a server; all start side by side and are asked in turn, so many requests in flight. Requests carry their
drafts as tokens and name their transcript (:mod:`benchmarks.device.vllm_scripted`). Then the same servers, asked
without transcripts, show in how many answers of random weights drafts change anything. **Never run on a GPU.**
"""

from __future__ import annotations

import http.client
import json
import os
import re
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.device.findings import plain
from docspec.core import ModelError
from docspec.generation.vllm import SPECULATIVE_CONFIG, VllmServer, VllmSettings

IN_FLIGHT = (1, 4, 16, 64)
HEAD_TOKENS = 3
HEAD_RIGHT = 0.8
"""Share of the head's tokens that are taken to be right: random weights guess nothing."""

PLAIN, DOCSPEC, NGRAM, HEAD, BOTH = "plain", "docspec", "ngram", "head", "docspec before the head"
SPECULATIVE: dict[str, dict[str, Any] | None] = {
    PLAIN: None,
    DOCSPEC: SPECULATIVE_CONFIG,
    NGRAM: {"method": "ngram", "num_speculative_tokens": 8, "prompt_lookup_max": 4},
    HEAD: {"method": "mtp", "num_speculative_tokens": HEAD_TOKENS},
    BOTH: {"method": "mtp", "num_speculative_tokens": 47, "disable_padded_drafter_batch": True},
}
COUNTED = re.compile(r"^vllm:spec_decode_num_(drafts|draft_tokens|accepted_tokens)_total\{[^}]*\} (\S+)$", re.M)
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Asked:
    """A page: its picture as a data URL, the number of its transcript and that one's ``length``, a draft in tokens."""

    picture: str
    script: int
    length: int
    draft: Sequence[int]


@dataclass(frozen=True, slots=True)
class Answer:
    """Tokens of an answer, the seconds that it took, and what ``usage`` says of accepted predictions."""

    tokens: list[int]
    seconds: float
    accepted: int | None


class Way:
    """The server of one way, at ``url``."""

    def __init__(self, name: str, url: str, model: str) -> None:
        self.name, self._url, self._model = name, url, model

    def ask(self, asked: Asked, scripted: bool, draft: Sequence[int] = (), most: int | None = None) -> Answer:
        """One page; ``draft`` is sent where this way reads drafts. Raises ``OSError`` for another status than 200."""
        extra: dict[str, Any] = {"docspec_script": asked.script} if scripted else {}
        if self.name in (DOCSPEC, BOTH) and draft:
            extra["docspec_drafts"] = list(draft)
        parts = [{"type": "image_url", "image_url": {"url": asked.picture}}, {"type": "text", "text": "t5 t6"}]
        body = {
            "model": self._model,
            "messages": [{"role": "user", "content": parts}],
            "temperature": 0,
            "max_tokens": most or asked.length,
            "ignore_eos": True,
            "return_token_ids": True,
            "vllm_xargs": extra,
        }
        place = urlsplit(self._url)
        began = time.perf_counter()
        connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=600)
        try:
            connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            data = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise OSError(f"{self.name}: {response.status} {data[:300]!r}")
        answer = json.loads(data)
        details = answer["usage"].get("completion_tokens_details") or {}
        return Answer(
            answer["choices"][0]["token_ids"], time.perf_counter() - began, details.get("accepted_prediction_tokens")
        )

    def counts(self) -> dict[str, float]:
        """vLLM's counters of verifications, drafted and accepted tokens."""
        with urllib.request.urlopen(f"{self._url}/metrics", timeout=60) as response:
            found = COUNTED.findall(response.read().decode())
        return {name: float(value) for name, value in found}


@contextmanager
def servers(
    folder: Path,
    ways: Sequence[str],
    scripts: Path,
    python: str,
    dtype: str,
    arguments: Sequence[str],
    tell: Callable[[str], None],
) -> Iterator[dict[str, Way]]:
    """A server for each of ``ways``, started side by side; one that does not start is told of and left out."""
    from benchmarks.device import vllm_scripted_names as names

    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

    def start(way: str) -> VllmServer:
        told = {names.SCRIPTS: str(scripts), names.HEAD_RIGHT: HEAD_RIGHT}
        if way == BOTH:
            told["docspec_head_tokens"] = HEAD_TOKENS
        words = [
            "--load-format",
            "dummy",
            "--worker-extension-cls",
            names.BEFORE_HEAD if way == BOTH else names.SCRIPTED,
        ]
        words += ["--additional-config", json.dumps(told), "--mm-processor-cache-gb", "0", "--no-enable-prefix-caching"]
        if SPECULATIVE[way] is not None:
            words += ["--speculative-config", json.dumps(SPECULATIVE[way])]
        return VllmServer(VllmSettings(str(folder), python, (*words, *arguments), dtype, plain=True), tell)

    with ExitStack() as stack, ThreadPoolExecutor(len(ways)) as threads:
        starting = {way: threads.submit(start, way) for way in ways}
        started = {}
        for way, future in starting.items():
            try:
                server = future.result()
            except ModelError as error:
                tell(f"{way}: {error}")
                continue
            stack.callback(server.close)
            started[way] = Way(way, server.url, str(folder))
        yield started


def timed(way: Way, pages: Sequence[Asked], scripts: Sequence[list[int]], in_flight: int) -> dict[str, Any]:
    """Twice as many requests as are in flight, the pages again and again: seconds, tokens, what was accepted."""
    which = [pages[index % len(pages)] for index in range(2 * in_flight)]
    before, began = way.counts(), time.perf_counter()
    with ThreadPoolExecutor(in_flight) as threads:
        answers = list(threads.map(lambda one: way.ask(one, True, one.draft), which))
    seconds, after = time.perf_counter() - began, way.counts()
    counts = {name: value - before.get(name, 0) for name, value in after.items()}
    ordered = sorted(one.seconds for one in answers)
    tokens = sum(len(one.tokens) for one in answers)
    usage = [one.accepted for one in answers if one.accepted is not None]
    return {
        "kind": "timed",
        "way": way.name,
        "in_flight": in_flight,
        "requests": len(which),
        "seconds": seconds,
        "tokens": tokens,
        "tokens_a_second": tokens / seconds,
        "p50_s": ordered[(len(ordered) - 1) // 2],
        "p95_s": ordered[-(-19 * (len(ordered) - 1) // 20)],
        "accepted_a_verification": counts["accepted_tokens"] / counts["drafts"] if counts.get("drafts") else None,
        "accepted_prediction_tokens": sum(usage) if usage else "not in usage",
        "follow_their_transcript": sum(
            answer.tokens == scripts[one.script][: one.length] for answer, one in zip(answers, which, strict=True)
        ),
    }


def compared(
    ways: dict[str, Way], pages: Sequence[Asked], most: int, dtype: str, in_flight: int
) -> Iterator[dict[str, Any]]:
    """Of the random weights' own answers, ``most`` tokens each: how many are those of the server without drafts, all
    asked side by side. docspec's drafts are these answers, so that all of a chain is verified at once."""
    with ThreadPoolExecutor(in_flight) as threads:
        wanted = list(threads.map(lambda one: ways[PLAIN].ask(one, False, (), most).tokens, pages))
        for way in ways.values():
            pairs, before = list(zip(pages, wanted, strict=True)), way.counts()
            found = list(threads.map(lambda pair: way.ask(pair[0], False, pair[1], most).tokens, pairs))  # noqa: B023
            same = sum(one == other for one, other in zip(found, wanted, strict=True))
            accepted = way.counts().get("accepted_tokens", 0) - before.get("accepted_tokens", 0)
            yield {
                "kind": "equal",
                "way": way.name,
                "dtype": dtype,
                "answers": len(pages),
                "equal": same,
                "tokens": sum(map(len, wanted)),
                "accepted_tokens": accepted,
            }


def emit(file: Path, finding: dict[str, Any]) -> None:
    """A line of ``file``."""
    with file.open("a") as lines:
        lines.write(json.dumps(plain(finding)) + "\n")
