"""Runs in vLLM's own environment, as a program: one engine, the same requests again and again as it is told.

A line of JSON on standard input is answered by a line on standard output. It imports nothing of docspec's, which vLLM
without drafts is not to be changed by; vLLM loads the proposer itself, by name.
"""

from __future__ import annotations

import base64
import io
import json
import os
import sys
import time
from typing import Any


def main() -> None:
    """Serves ``{"load": ...}`` once, then ``{"run": requests in flight, "which": tasks}`` until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    engine: Any = None
    tasks: list[Any] = []
    drafted = False
    for line in sys.stdin:
        asked = json.loads(line)
        if "load" in asked:
            engine, tasks, drafted = loaded(asked["load"])
            answer: dict[str, Any] = {"version": __import__("vllm").__version__}
        else:
            answer = run(engine, [tasks[index] for index in asked["which"]], asked["run"], drafted)
        print(json.dumps(answer), file=answers, flush=True)


def loaded(asked: dict[str, Any]) -> tuple[Any, list[Any], bool]:
    """The engine, the requests, and whether they take their drafts along."""
    # One process, so that counts can be read; no caches, as the same pictures are read again and again.
    os.environ.update(VLLM_ENABLE_V1_MULTIPROCESSING="0", VLLM_LOGGING_LEVEL="ERROR")
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    from PIL import Image
    from vllm import LLM

    llm = LLM(
        asked["model"],
        dtype=asked["dtype"],
        enforce_eager=True,
        max_model_len=asked["longest"],
        max_num_seqs=asked["rows"],
        limit_mm_per_prompt={"image": 1},
        speculative_config=asked["speculative"],
        enable_prefix_caching=False,
        mm_processor_cache_gb=0,
        disable_log_stats=False,
    )
    with open(asked["tasks"], encoding="utf-8") as file:  # noqa: PTH123 (as plain as it can be)
        tasks = json.load(file)
    for task in tasks:
        task["picture"] = Image.open(io.BytesIO(base64.b64decode(task.pop("png")))).convert("RGB")
    return llm, tasks, (asked["speculative"] or {}).get("method") == "custom_class"


def run(llm: Any, tasks: list[Any], in_flight: int, drafted: bool) -> dict[str, Any]:
    """All of ``tasks`` with so many of them ``in_flight``: wall seconds, the tokens of each, tokens accepted."""
    from vllm import SamplingParams

    engine = llm.llm_engine
    before = counts(llm)
    waiting, active = list(range(len(tasks)))[::-1], 0
    written: list[list[int]] = [[] for _ in tasks]
    latencies: list[float] = [0.0] * len(tasks)
    began = time.perf_counter()
    while waiting or active:
        while waiting and active < in_flight:
            index = waiting.pop()
            task = tasks[index]
            extra = {"docspec_drafts": task["drafts"], "docspec_kind": task["kind"]} if drafted else None
            params = SamplingParams(temperature=0.0, max_tokens=task["budget"], extra_args=extra)
            prompt = {"prompt_token_ids": task["prompt"], "multi_modal_data": {"image": task["picture"]}}
            engine.add_request(f"{index}-{time.perf_counter_ns()}", prompt, params)
            latencies[index] = -time.perf_counter()
            active += 1
        for output in engine.step():
            if output.finished:
                active -= 1
                index = int(output.request_id.partition("-")[0])
                latencies[index] += time.perf_counter()
                written[index] = list(output.outputs[0].token_ids)
    seconds = time.perf_counter() - began
    after = counts(llm)
    return {
        "seconds": seconds,
        "tokens": written,
        "latencies": latencies,
        "counts": {name: after[name] - before.get(name, 0) for name in after},
    }


def counts(llm: Any) -> dict[str, int]:
    """vLLM's own counts of speculated tokens."""
    found = {}
    for metric in llm.get_metrics():
        if metric.name.startswith("vllm:spec_decode_num_") and hasattr(metric, "value"):
            found[metric.name.removeprefix("vllm:spec_decode_num_")] = int(metric.value)
    return found


if __name__ == "__main__":
    main()
