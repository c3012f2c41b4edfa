"""All engines through the same crops in turn: one run, interleaved, medians with their spread, answers compared."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.engines import vllm_worker
from benchmarks.engines.tasks import Task
from docspec.core import DocspecError, UsageError
from docspec.generation.vllm import SPECULATIVE_CONFIG as PROPOSER

SPECULATIVE: dict[str, dict[str, Any] | None] = {
    "vLLM": None,
    "vLLM, ngram": {"method": "ngram", "num_speculative_tokens": 8, "prompt_lookup_max": 4},
    "vLLM, suffix": {"method": "suffix", "num_speculative_tokens": 47, "suffix_decoding_max_cached_requests": 0},
    "vLLM, window": {**PROPOSER, "model": "benchmarks.engines.vllm_window.VllmWindowProposer"},
    "vLLM, docspec": PROPOSER,
}
"""The ways to run vLLM, by the names in tables: its ``speculative_config``. Suffix decoding keeps no answers: the same
requests come again in each repeat, and their answers would be its drafts."""

OWN = ("docspec, plain", "docspec, trees")

WARM = 8
"""Requests beyond those in flight that an engine answers before it is measured, and at most so many before each turn.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """One engine with so many of ``requests`` ``in_flight``: wall ``seconds`` of every repeat, the ``latencies`` of the
    last repeat's where requests come and go one by one, what it ``counts`` itself, and how many were answered with the
    ``same`` tokens as by docspec's engine without drafts, in the worst of the repeats."""

    engine: str
    in_flight: int
    requests: int = 0
    seconds: tuple[float, ...] = ()
    latencies: tuple[float, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    same: int = 0

    @property
    def typical(self) -> float:
        """The median of ``seconds``."""
        return median(self.seconds)

    @property
    def accepted(self) -> float | None:
        """Drafted tokens accepted a verification, where the engine counts them."""
        drafts = self.counts.get("drafts", 0)
        return self.counts.get("accepted_tokens", 0) / drafts if drafts else None

    def latency(self, share: float) -> float | None:
        """Seconds within which that share of the requests was answered."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


class MeasuredEngine:
    """What is measured: ``run`` answers seconds and tokens (the first ``limit`` of each answer, where there is one),
    ``close`` ends it. One whose idle processes would take the processor from the others is paused outside its turns."""

    limit: int | None = None

    def run(self, in_flight: int, which: Sequence[int]) -> dict[str, Any]:
        """Answers ``which`` of the tasks, so many at a time."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends it."""

    def resume(self) -> None:
        """Its turn begins."""

    def pause(self) -> None:
        """Its turn has ended."""


class DocspecEngine(MeasuredEngine):
    """docspec's own engine, with trees or plain: pictures are encoded anew each time, as servers have to."""

    def __init__(self, context: Any, tasks: Sequence[Task], plain: bool) -> None:
        self._context, self._tasks, self._plain = context, tasks, plain

    def run(self, in_flight: int, which: Sequence[int]) -> dict[str, Any]:
        """Wall seconds and tokens for ``which`` of the tasks; so many at a time, at most as many as the engine takes
        (0: as many as that)."""
        engine, began = self._context.engine, time.perf_counter()
        asked = [replace(self._tasks[index].any, plain=self._plain) for index in which]
        most = in_flight or len(asked)
        with ThreadPoolExecutor(most, "docspec-bench") as threads:
            written = list(threads.map(lambda one: engine.submit(one).result(), asked))
        return {"seconds": time.perf_counter() - began, "tokens": [list(one.token_ids) for one in written]}


class VllmEngine(MeasuredEngine):
    """vLLM in ``python``'s environment, started once. Raises :class:`docspec.core.DocspecError` where it cannot be."""

    def __init__(self, python: Path, load: dict[str, Any]) -> None:
        root = Path(__file__).parents[2]
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (until it is closed)
        self._process = subprocess.Popen(
            [str(python), vllm_worker.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=_environment(root),
        )
        self.version = str(self._ask({"load": load})["version"])

    def run(self, in_flight: int, which: Sequence[int]) -> dict[str, Any]:
        """What :func:`benchmarks.engines.vllm_worker.run` answers."""
        return self._ask({"run": in_flight, "which": list(which)})

    def close(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def _ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            self._process.kill()
            self._process.wait()
            self._errors.seek(0)
            said = self._errors.read().decode("utf-8", "replace").strip().splitlines() or ["nothing"]
            raise DocspecError(f"vLLM ended; it said last: {said[-1]}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _environment(root: Path) -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(root)}


Start = Callable[[str], Any]
"""Starts the engine of a way that is a server."""


def measure(
    context: Any,
    tasks: Sequence[Task],
    python: Path | None,
    model: str,
    in_flight: Sequence[int],
    repeats: int,
    ways: Sequence[str],
    tell: Callable[[str], None],
    servers: Mapping[str, Start] | None = None,
    most: int | None = None,
) -> tuple[list[Figure], str | None]:
    """A figure for each of ``ways`` and number of requests in flight, and vLLM's version. ``servers`` are ways that are
    asked over HTTP; others of vLLM run in ``python``, offline. ``most`` requests of a run, as in :func:`asked`. Raises
    :class:`UsageError` for a way that nobody knows."""
    servers = servers or {}
    known = (*OWN, *SPECULATIVE, *(way for way in servers if way not in SPECULATIVE))
    unknown = [way for way in ways if way not in known]
    if unknown:
        raise UsageError(f"--way {unknown[0]}: choose among {', '.join(known)}")
    if python is None and any(way in SPECULATIVE and way not in servers for way in ways):
        raise UsageError("vLLM needs an environment of its own: name its Python with --vllm-python")
    engines: dict[str, Any] = {}
    version = None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tasks.json"
        file.write_text(json.dumps([task.as_values() for task in tasks]), encoding="utf-8")
        try:
            engines.update(_started({way: servers[way] for way in ways if way in servers}))
            for way in ways:
                tell(f"{way} is made ready")
                if way in OWN:
                    engines[way] = DocspecEngine(context, tasks, plain=way == OWN[0])
                    continue
                if way in servers:
                    version = engines[way].version
                    continue
                longest = max(len(task.request.prompt.inputs["input_ids"][0]) + task.request.budget for task in tasks)
                load = {
                    "model": model,
                    "dtype": "float32",
                    "longest": longest + 64,
                    "rows": max(in_flight),
                    "speculative": SPECULATIVE[way],
                    "tasks": str(file),
                }
                assert python is not None
                engines[way] = VllmEngine(python, load)
                version = engines[way].version
            ends, detokenize = frozenset(context.engine.target.eos_ids), context.engine.target.detokenize

            def is_same(written: Any, tokens: list[int]) -> bool:
                if isinstance(written, str):  # a server that tells no tokens
                    return bool(written == detokenize(tokens))
                return [token for token in written if token not in ends] == tokens

            engines = {way: engines[way] for way in ways}
            for engine in engines.values():
                engine.pause()
            wanted = DocspecEngine(context, tasks, plain=True).run(0, range(len(tasks)))["tokens"]
            figures = []
            for number in in_flight:
                which = asked(len(tasks), number, most)
                figures += _at(engines, number, which, repeats, wanted, is_same, tell)
        finally:
            for engine in engines.values():
                engine.close()
    return figures, version


def _started(servers: Mapping[str, Start]) -> dict[str, Any]:
    """The engines of ways that are servers, started side by side; all or none."""
    with ThreadPoolExecutor(max(1, len(servers)), "docspec-bench") as threads:
        starting = {way: threads.submit(start, way) for way, start in servers.items()}
    try:
        return {way: each.result() for way, each in starting.items()}
    except BaseException:
        for each in starting.values():
            if each.exception() is None:
                each.result().close()
        raise


@contextmanager
def _turn(engine: MeasuredEngine) -> Iterator[None]:
    """While it lasts ``engine`` is not paused."""
    engine.resume()
    try:
        yield
    finally:
        engine.pause()


def asked(tasks: int, in_flight: int, most: int | None = None) -> list[int]:
    """Which of so many ``tasks`` a run asks for, in order: all, or ``most`` of them from the first to the last; at
    least twice as many as are in flight where they are several, some of them again, so that the load lasts."""
    size = tasks if most is None else min(tasks, most)
    size = max(size, 2 * in_flight if in_flight > 1 else 1)
    if size > tasks:
        return [index % tasks for index in range(size)]
    return [index * tasks // size for index in range(size)]


def _at(
    engines: Mapping[str, MeasuredEngine],
    in_flight: int,
    which: Sequence[int],
    repeats: int,
    wanted: Sequence[list[int]],
    is_same: Callable[[Any, list[int]], bool],
    tell: Callable[[str], None],
) -> list[Figure]:
    """All engines in turn, ``repeats`` times after a short turn that is not counted."""
    for engine in engines.values():
        with _turn(engine):
            engine.run(in_flight, which[: in_flight + WARM])
    found = {way: Figure(way, in_flight, len(which), same=len(which)) for way in engines}
    few = min(in_flight, WARM)
    for _ in range(repeats):
        for way, engine in engines.items():
            with _turn(engine):
                engine.run(few, which[:few])
                answer, figure = engine.run(in_flight, which), found[way]
            pairs = zip(answer["tokens"], which, strict=True)
            same = sum(is_same(tokens, wanted[index][: engine.limit]) for tokens, index in pairs)
            found[way] = replace(
                figure,
                seconds=(*figure.seconds, answer["seconds"]),
                latencies=tuple(answer.get("latencies", ())),
                counts=answer.get("counts", {}),
                same=min(figure.same, same),
            )
    for figure in found.values():
        tell(f"{in_flight} in flight, {figure.engine}: {figure.typical:.2f} s")
    return list(found.values())
