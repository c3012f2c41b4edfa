"""A gateway in front of a real vLLM with the bundled reader: the same answers, and how soon.

``python -m tests.serve.speed --vllm-python PYTHON --requests 200`` asks for the crops of sample pages, straight and
through a gateway: with the text layer's words as ``prediction``, and without any, images recognised where that pays.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from docspec.targets.registry import BUNDLED
from tests.serve.conftest import data_url
from tests.serve.processes import ROOT, gateway

CHAT = "/v1/chat/completions"
SPECULATION = {"method": "custom_class", "model": "docspec.vllm.Proposer", "num_speculative_tokens": 31}


@dataclass(frozen=True)
class Crop:
    """A request's body without a draft, and the words that a text layer has for it."""

    values: dict[str, Any]
    words: str


def crops(most: int) -> list[Crop]:
    """The crops of sample pages, as docspec's own engine is asked for them; again from the first where they end."""
    from docspec import ParseOptions, Parser
    from docspec.bench.engines.tasks import tasks_of
    from docspec.documents import open_document
    from docspec.drafting import make_drafter

    options = ParseOptions(words="model", device="cpu", dtype="float32", drafter="text-layer", read="regions")
    found: list[Crop] = []
    with Parser(options) as parser:
        setup = parser.page_parser.setup
        for file in sorted((ROOT / "samples").glob("*.pdf")):
            if len(found) >= most:
                break
            with open_document(file) as document:
                tasks = tasks_of(setup, parser.page_images(document, "1"), make_drafter(options))
            for task in tasks:
                image, prompt = task.asked
                parts = [
                    {"type": "image_url", "image_url": {"url": data_url(image)}},
                    {"type": "text", "text": prompt.replace("{image}", "")},
                ]
                values = {"messages": [{"role": "user", "content": parts}], "temperature": 0}
                drafts = [setup.target.detokenize(list(draft)) for draft in task.request.drafts[:1]]
                found.append(Crop({**values, "max_tokens": task.request.budget}, drafts[0] if drafts else ""))
    return [found[number % len(found)] for number in range(most)]


@contextlib.contextmanager
def vllm(python: str, speculates: bool, log: Path) -> Iterator[str]:
    """A real vLLM on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [
        python,
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--model",
        str(BUNDLED),
        "--served-model-name",
        "mini",
    ]
    words += ["--host", "127.0.0.1", "--port", str(port), "--dtype", "float32", "--enforce-eager"]
    words += ["--max-model-len", "2048", "--max-num-seqs", "16", "--no-enable-prefix-caching"]
    words += ["--mm-processor-cache-gb", "0", "--limit-mm-per-prompt", '{"image": 1}']
    if speculates:
        words += ["--speculative-config", json.dumps(SPECULATION)]
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_LOGGING_LEVEL": "ERROR",
    }
    with log.open("w") as said:
        process = subprocess.Popen(words, env=env, stdout=said, stderr=said, start_new_session=True)
        try:
            url = f"http://127.0.0.1:{port}"
            for _ in range(360):
                if process.poll() is not None:
                    raise RuntimeError(log.read_text()[-3000:])
                with contextlib.suppress(httpx.HTTPError):
                    if httpx.get(f"{url}/health", timeout=2).status_code == 200:
                        break
                time.sleep(0.5)
            yield url
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


async def answers(url: str, bodies: Sequence[dict[str, Any]], clients: int) -> tuple[list[str], float]:
    """What each request is answered with, and the seconds that all took."""
    found = [""] * len(bodies)
    numbers = iter(range(len(bodies)))
    async with httpx.AsyncClient(base_url=url, timeout=300) as client:

        async def one() -> None:
            for number in numbers:
                answer = await client.post(CHAT, json=bodies[number])
                found[number] = (
                    answer.json()["choices"][0]["message"]["content"] if answer.is_success else answer.text
                )

        began = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(clients)))
        return found, time.perf_counter() - began


def timed(url: str, bodies: Sequence[dict[str, Any]], clients: int) -> tuple[list[str], float]:
    return asyncio.run(answers(url, bodies, clients))


def measured(python: str, asked: Sequence[Crop], clients: Sequence[int], rounds: int) -> dict[str, Any]:
    """Answers that differ, and times straight over times through the gateway."""
    plain = [crop.values for crop in asked]
    drafted = [{**crop.values, "prediction": {"type": "content", "content": crop.words}} for crop in asked]
    found: dict[str, Any] = {"requests": len(asked)}
    with tempfile.TemporaryDirectory() as folder:
        with vllm(python, False, Path(folder, "plain.log")) as url:
            timed(url, plain[:16], 4)  # what the first requests take is no one's
            straight = {each: [timed(url, plain, each) for _ in range(rounds)] for each in clients}
        expected = straight[clients[0]][0][0]
        with (
            vllm(python, True, Path(folder, "drafts.log")) as url,
            gateway("--upstream", url, "--recognise", "auto") as served,
        ):
            timed(served.url, drafted[:16], 4)
            for each in clients:
                before = statistics.median(seconds for _, seconds in straight[each])
                counted = speculated(url)
                runs = [timed(served.url, drafted, each) for _ in range(rounds)]
                steps, accepted = (
                    round(now - then) for now, then in zip(speculated(url), counted, strict=True)
                )
                # The same server without drafts, straight and through the gateway, in turn.
                pairs = [(timed(url, plain, each), timed(served.url, plain, each)) for _ in range(rounds)]
                found[f"{each} clients"] = {
                    "equal with prediction": [_equal(texts, expected) for texts, _ in runs],
                    "equal without": [_equal(through[0], expected) for _, through in pairs],
                    "seconds straight, vLLM without speculation": round(before, 2),
                    "steps with drafts, and tokens accepted": [steps, accepted],
                    "characters written": rounds * sum(map(len, expected)),
                    "seconds with prediction": [round(seconds, 2) for _, seconds in runs],
                    "times as fast with prediction": round(before / statistics.median(s for _, s in runs), 2),
                    "times as fast, recognition where it pays, same server": round(
                        statistics.median(one[1] / other[1] for one, other in pairs), 3
                    ),
                }
            lines = dict(
                line.rsplit(" ", 1)
                for line in served.get("/metrics").text.splitlines()
                if not line.startswith("#")
            )
            own = float(lines["docspec_own_seconds_total"])
            count = float(lines['docspec_requests_total{route="/v1/chat/completions",status="200"}'])
            found["own milliseconds a request"] = round(1e3 * own / count, 3)
            found["drafts"] = {name: value for name, value in lines.items() if "drafts_total" in name}
            found["resident MiB"] = served.resident() >> 20
    return found


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
    words.add_argument("--rounds", type=int, default=1)
    words.add_argument(
        "--crops", type=Path, metavar="FILE", help="Kept there, and taken from there the next time."
    )
    given = words.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # servers end with it
    if given.crops is not None and given.crops.exists():
        asked = [Crop(**each) for each in json.loads(given.crops.read_text())][: given.requests]
    else:
        asked = crops(given.requests)
        if given.crops is not None:
            given.crops.write_text(json.dumps([asdict(each) for each in asked]))
    print(json.dumps(measured(given.vllm_python, asked, given.clients, given.rounds), indent=1))


if __name__ == "__main__":
    main()
