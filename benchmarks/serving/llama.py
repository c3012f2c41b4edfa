"""``llama-server`` and ``docspec serve --engine llama`` over HTTP, with the same file, the same requests and the same
answers.

``python -m benchmarks.serving.llama --llama-server PROGRAM --engine-python PYTHON --model FILE`` asks for the crops
of sample pages: straight ``llama-server``; docspec without drafts; with the text layer's words as ``prediction``; and
with pictures recognised by docspec where that pays. The processor's time of all processes of a server stands beside
the seconds; it hangs less on what else the machine does. Of a ``--reader`` with random weights, which writes no words
of a page, the prediction is what it writes. All ways take turns in each round; the server that is not asked is stopped
meanwhile.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psutil

from benchmarks.serving.processes import gateway
from benchmarks.serving.speed import Crop, kept_crops, timed
from docspec.generation.llama.model_files import find_files, settings_for

PATIENCE = 300.0
"""Seconds for a server to load a model."""


class Way(NamedTuple):
    """A server at ``url``, process ``pid`` with its children, and what it is asked."""

    url: str
    pid: int
    bodies: Sequence[dict[str, Any]]


@contextlib.contextmanager
def llama_server(
    program: Path, model: Path, mmproj: Path | None, slots: int, context: int, threads: int
) -> Iterator[tuple[str, int]]:
    """A ``llama-server`` on a free port: its address and its process. Keys and values are as docspec has them, in
    float32 for files in float32, and flash attention is off."""
    files = find_files(model, mmproj)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kind = "f32" if files.model.is_float32 else "f16"
    words = [
        *("-m", str(model), "--port", str(port), "-np", str(slots), "-c", str(slots * context), "-t", str(threads)),
        *("-ctk", kind, "-ctv", kind, "-fa", "off", "-fit", "off", "--jinja"),
        *(() if files.tower is None else ("--mmproj", str(files.tower.path))),
    ]
    if (sizes := settings_for(files, context, threads).image_tokens) is not None:
        words += ["--image-min-tokens", str(sizes[0]), "--image-max-tokens", str(sizes[1])]
    process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end, url = time.monotonic() + PATIENCE, f"http://127.0.0.1:{port}"
        while True:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{url}/health").is_success:
                    break
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{program} did not start: {' '.join(words)}")
            time.sleep(0.5)
        yield url, process.pid
    finally:
        process.kill()
        process.wait()


def processes_of(pid: int) -> list[psutil.Process]:
    own = psutil.Process(pid)
    return [own, *own.children(recursive=True)]


def processor_seconds(pid: int) -> float:
    """Of a process and its children so far."""
    return sum(sum(process.cpu_times()[:2]) for process in processes_of(pid))


def alone(way: Way, others: Sequence[Way]) -> None:
    """Stops the processes of the other servers, and lets those of this one go on."""
    for other in others:
        if other.pid != way.pid:
            for process in processes_of(other.pid):
                process.suspend()
    for process in processes_of(way.pid):
        process.resume()


def measured(given: argparse.Namespace, asked: Sequence[Crop]) -> dict[str, Any]:
    """Seconds of each way in each round, how many times as fast as ``llama-server`` they are, and equal answers."""
    plain = [{**crop.values, "cache_prompt": False} for crop in asked]
    if given.tokens:
        plain = [{**body, "max_tokens": given.tokens} for body in plain]
    words = ["--engine", "llama", "--model", str(given.model), "--slots", str(max(given.in_flight))]
    words += ["--engine-python", str(given.engine_python)] if given.engine_python else []
    words += ["--mmproj", str(given.mmproj)] if given.mmproj else []
    found: dict[str, Any] = {"model": given.model.name, "requests": len(asked), "rounds": given.rounds}
    with contextlib.ExitStack() as stack:
        served = stack.enter_context(gateway(*words, "--recognise", given.recognise, patience=PATIENCE))
        props = served.get("/props").json()
        context = props["default_generation_settings"]["n_ctx"]
        slots = max(given.in_flight)
        straight = llama_server(given.llama_server, given.model, given.mmproj, slots, context, given.threads)
        url, pid = stack.enter_context(straight)
        ways = {"llama-server": Way(url, pid, plain)}
        if given.reader:
            texts, _ = timed(url, plain, slots)
            predicted = [with_prediction(body, text) for body, text in zip(plain, texts, strict=True)]
        else:
            predicted = [with_prediction(body, crop.words) for body, crop in zip(plain, asked, strict=True)]
        here = served.url, served.process.pid
        never = [with_prediction(body, "") for body in plain]
        ways |= {"docspec, no drafts": Way(*here, never), "docspec, prediction": Way(*here, predicted)}
        if given.recognise != "never":
            ways["docspec, recognition"] = Way(*here, plain)
        for flying in given.in_flight:
            runs: dict[str, list[tuple[list[str], float]]] = {name: [] for name in ways}
            spent: dict[str, list[float]] = {name: [] for name in ways}
            for number in range(given.rounds + 1):  # the first is not counted
                for name, way in ways.items():
                    alone(way, list(ways.values()))
                    before = processor_seconds(way.pid)
                    run = timed(way.url, way.bodies, flying)
                    if number:
                        runs[name].append(run)
                        spent[name].append(processor_seconds(way.pid) - before)
            expected = runs["llama-server"][0][0]
            first = [seconds for _, seconds in runs["llama-server"]]
            found[f"{flying} in flight"] = {
                name: {
                    "seconds": [round(seconds, 2) for _, seconds in made],
                    "times as fast": round(
                        statistics.median(one / seconds for one, (_, seconds) in zip(first, made, strict=True)), 2
                    ),
                    "processor milliseconds a request": round(1e3 * statistics.median(spent[name]) / len(plain), 1),
                    "equal answers": min(sum(map(str.__eq__, texts, expected)) for texts, _ in made),
                }
                for name, made in runs.items()
            }
        for way in ways.values():
            alone(way, [])
    found["characters written"] = sum(map(len, expected))
    return found


def with_prediction(body: dict[str, Any], text: str) -> dict[str, Any]:
    """The body with a prediction; without a text with drafts that say nothing, so that none are looked for."""
    if not text:
        return {**body, "vllm_xargs": {"docspec_drafts": []}}
    return {**body, "prediction": {"type": "content", "content": text}}


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--llama-server", type=Path, required=True, metavar="PROGRAM")
    words.add_argument("--engine-python", type=Path, metavar="PYTHON", help="A Python that has llama-cpp-python.")
    words.add_argument("--model", type=Path, required=True, metavar="FILE")
    words.add_argument("--mmproj", type=Path, metavar="FILE")
    words.add_argument("--reader", action="store_true", help="Of random weights: it predicts itself.")
    words.add_argument("--recognise", choices=["auto", "always", "never"], default="auto")
    words.add_argument("--requests", type=int, default=98)
    words.add_argument("--tokens", type=int, help="The most of an answer.")
    words.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="Of llama-server.")
    words.add_argument("--in-flight", type=int, nargs="+", default=[1, 4])
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--crops", type=Path, metavar="FILE", help="Kept there, and taken from there the next time.")
    given = words.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # servers end with it
    print(json.dumps(measured(given, kept_crops(given.crops, given.requests)), indent=1))


if __name__ == "__main__":
    main()
