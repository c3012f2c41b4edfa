"""A gateway in front of a real vLLM with the bundled reader: the same answers, and how soon.

``python -m benchmarks.serving.speed --vllm-python PYTHON --requests 200`` asks for the crops of sample pages, straight
and through a gateway: with the words of the text layer as ``prediction``, and without any, images recognised where that
pays. All ways take turns in each round; the server that is not asked is stopped meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks.engines.served import FAIR
from benchmarks.serving.images import data_url
from benchmarks.serving.processes import ROOT, gateway
from docspec.generation.vllm import VllmServer, VllmSettings
from docspec.serve.chat import XARGS
from docspec.targets.registry import BUNDLED
from docspec.vllm.request import DRAFTS

CHAT = "/v1/chat/completions"


@dataclass(frozen=True)
class Crop:
    """A request's body without a draft, and the words that a text layer has for it."""

    values: dict[str, Any]
    words: str


def crops(most: int) -> list[Crop]:
    """The crops of sample pages that have words in a text layer (a client without any sends no ``prediction``), as
    docspec's own engine is asked for them; again from the first where they end."""
    from benchmarks.engines.tasks import tasks_of
    from docspec import ParseOptions, Parser
    from docspec.documents import open_document
    from docspec.drafting import make_drafter

    options = ParseOptions(words="model", device="cpu", dtype="float32", drafter="text-layer", read="regions")
    found: list[Crop] = []
    with Parser(options) as parser:
        context = parser.page_parser.context
        for file in sorted((ROOT / "samples").glob("*.pdf")):
            if len(found) >= most:
                break
            with open_document(file) as document:
                tasks = tasks_of(context, parser.page_images(document, "1"), make_drafter(options))
            for task in tasks:
                drafts = [context.engine.target.detokenize(list(draft)) for draft in task.request.drafts[:1]]
                if not drafts:
                    continue
                image, prompt = task.asked
                parts = [
                    {"type": "image_url", "image_url": {"url": data_url(image)}},
                    {"type": "text", "text": prompt.replace("{image}", "")},
                ]
                values = {"messages": [{"role": "user", "content": parts}], "temperature": 0}
                found.append(Crop({**values, "max_tokens": task.request.budget}, drafts[0]))
    return [found[number % len(found)] for number in range(most)]


def kept_crops(file: Path | None, most: int) -> list[Crop]:
    """:func:`crops`, from the ``file`` that an earlier run kept them in, or made and kept there."""
    if file is not None and file.exists():
        return [Crop(**each) for each in json.loads(file.read_text())][:most]
    made = crops(most)
    if file is not None:
        file.write_text(json.dumps([asdict(each) for each in made]))
    return made


@contextlib.contextmanager
def vllm(python: str, speculates: bool) -> Iterator[VllmServer]:
    """A real vLLM on a free port, with docspec's proposer in it or as it is."""
    arguments = ["--enforce-eager", "--max-model-len", "2048", "--max-num-seqs", "16", *FAIR]
    server = VllmServer(VllmSettings(str(BUNDLED), python, arguments, "float32", plain=not speculates, name="mini"))
    try:
        yield server
    finally:
        server.close()


async def answers(url: str, bodies: Sequence[dict[str, Any]], clients: int) -> tuple[list[str], float]:
    """What each request is answered with, and the seconds that all took."""
    found = [""] * len(bodies)
    numbers = iter(range(len(bodies)))
    async with httpx.AsyncClient(base_url=url, timeout=300) as client:

        async def one() -> None:
            for number in numbers:
                answer = await client.post(CHAT, json=bodies[number])
                found[number] = answer.json()["choices"][0]["message"]["content"] if answer.is_success else answer.text

        began = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(clients)))
        return found, time.perf_counter() - began


def timed(url: str, bodies: Sequence[dict[str, Any]], clients: int) -> tuple[list[str], float]:
    return asyncio.run(answers(url, bodies, clients))


def measured(python: str, asked: Sequence[Crop], clients: Sequence[int], rounds: int) -> dict[str, Any]:
    """Answers that differ, and how many times as fast they come, all ways in turn in each of ``rounds``."""
    plain = [crop.values for crop in asked]
    drafted = [{**crop.values, "prediction": {"type": "content", "content": crop.words}} for crop in asked]
    direct = [{**crop.values, XARGS: {DRAFTS: [crop.words]}} for crop in asked]
    found: dict[str, Any] = {"requests": len(asked), "rounds": rounds}
    with (
        vllm(python, False) as without,
        vllm(python, True) as drafting,
        gateway("--upstream", drafting.url, "--recognise", "auto") as served,
    ):
        ways = {
            "vLLM": (without, without.url, plain),
            "vLLM with docspec, no drafts": (drafting, drafting.url, plain),
            "vLLM with docspec, drafts in the request": (drafting, drafting.url, direct),
            "gateway, prediction": (drafting, served.url, drafted),
            "gateway, recognition where it pays": (drafting, served.url, plain),
        }
        for each in clients:
            runs: dict[str, list[tuple[list[str], float]]] = {way: [] for way in ways}
            counted = (0.0, 0.0)
            for _ in range(rounds):
                for way, (server, address, bodies) in ways.items():
                    for one in (without, drafting):  # its threads would take the processors from the other's turn
                        for process in psutil.Process(one.pid).children(recursive=True):
                            (process.resume if one is server else process.suspend)()
                    timed(address, bodies[:16], 4)  # what the first requests take is no one's
                    before = speculated(server.url)
                    runs[way].append(timed(address, bodies, each))
                    if way == "gateway, prediction":
                        now = speculated(server.url)
                        counted = (counted[0] + now[0] - before[0], counted[1] + now[1] - before[1])
            expected = runs["vLLM"][0][0]
            seconds = {way: [took for _, took in made] for way, made in runs.items()}
            found[f"{each} clients"] = {
                "seconds": {way: [round(one, 2) for one in took] for way, took in seconds.items()},
                "times as fast as vLLM": {way: _times(seconds["vLLM"], took) for way, took in seconds.items()},
                "recognition, times as fast as the same server straight": _times(
                    seconds["vLLM with docspec, no drafts"], seconds["gateway, recognition where it pays"]
                ),
                "equal answers, in the worst round": {
                    way: min(_equal(texts, expected) for texts, _ in made) for way, made in runs.items()
                },
                "steps with predictions, and tokens accepted": list(map(round, counted)),
                "characters written": rounds * sum(map(len, expected)),
            }
        for process in psutil.Process(drafting.pid).children(recursive=True):
            process.resume()
        lines = dict(
            line.rsplit(" ", 1) for line in served.get("/metrics").text.splitlines() if not line.startswith("#")
        )
        own = float(lines["docspec_own_seconds_total"])
        count = float(lines['docspec_requests_total{route="/v1/chat/completions",status="200"}'])
        found["own milliseconds a request"] = round(1e3 * own / count, 3)
        found["drafts"] = {name: value for name, value in lines.items() if "drafts_total" in name}
        found["resident MiB"] = served.resident() >> 20
    return found


def _times(before: Sequence[float], after: Sequence[float]) -> float:
    return round(statistics.median(one / other for one, other in zip(before, after, strict=True)), 3)


def speculated(url: str) -> tuple[float, float]:
    """Steps in which vLLM verified drafts, and drafted tokens that it accepted."""
    lines = httpx.get(f"{url}/metrics", timeout=30).text.splitlines()
    names = "num_drafts_total", "num_accepted_tokens_total"
    found = [
        sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"vllm:spec_decode_{name}"))
        for name in names
    ]
    return found[0], found[1]


def _equal(texts: Sequence[str], expected: Sequence[str]) -> int:
    return sum(one == other for one, other in zip(texts, expected, strict=True))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--vllm-python", required=True, metavar="PYTHON")
    words.add_argument("--requests", type=int, default=200)
    words.add_argument("--clients", type=int, nargs="+", default=[1, 16])
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("--crops", type=Path, metavar="FILE", help="Kept there, and taken from there the next time.")
    given = words.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # servers end with it
    asked = kept_crops(given.crops, given.requests)
    print(json.dumps(measured(given.vllm_python, asked, given.clients, given.rounds), indent=1))


if __name__ == "__main__":
    main()
