"""Run by vLLM's Python: what Model Runner V2 of vLLM 0.33 makes of requests with drafts. Prints one JSON object.

``second_runner.py MODEL TASKS.json``; tasks as :mod:`benchmarks.engines.tasks` writes them. The runner's kernels are
Triton's, which has no processor: its interpreter runs them. vLLM switches asynchronous scheduling off on processors;
here it stays on, since it is what the runner is for. No graph is captured, and the kernel for grammars does not run.
"""

from __future__ import annotations

import json
import os
import sys
from types import SimpleNamespace

os.environ.update(TRITON_INTERPRET="1", VLLM_USE_V2_MODEL_RUNNER="1")

from triton.backends import backends

backends["cpu"] = SimpleNamespace(driver=None, compiler=None)  # vLLM asks for its name

from vllm.platforms.cpu import CpuPlatform  # noqa: E402

from tests.vllm.scenarios import ANSWERS, answers, engine, generate, preempted, read_tasks  # noqa: E402

DOCSPEC = {"method": "custom_class", "model": "docspec.vllm.Proposer", "num_speculative_tokens": 15}


def keep_asynchronous() -> None:
    check = CpuPlatform.check_and_update_config.__func__

    def checked(cls: type, config: object) -> None:
        before = config.scheduler_config.async_scheduling
        check(cls, config)
        config.scheduler_config.async_scheduling = before

    CpuPlatform.check_and_update_config = classmethod(checked)


def main(model: str, file: str) -> None:
    keep_asynchronous()
    tasks = read_tasks(file)
    found = {}
    llm = engine(model, DOCSPEC)
    core = llm.llm_engine.engine_core.engine_core
    runner = core.model_executor.driver_worker.worker.model_runner
    speculator = runner.speculator
    made = (runner, speculator, core.scheduler)
    found["classes"] = [f"{type(one).__module__}.{type(one).__name__}" for one in made]
    found["asynchronous"] = core.vllm_config.scheduler_config.async_scheduling
    drafts = [task["drafts"] for task in tasks]
    found["drafts"], found["counts"] = answers(llm, tasks, drafts)
    found["without"], found["counts without"] = answers(llm, tasks)
    half = [draft if index % 2 else None for index, draft in enumerate(drafts)]
    found["half"], found["counts half"] = answers(llm, tasks, half)
    others = [tasks[index - 1]["drafts"] for index in range(len(tasks))]
    found["of others"], found["counts of others"] = answers(llm, tasks, others)
    unknown = [[answer[0], 1 << 30] for answer in found["drafts"]]  # a token that the model does not have, to follow
    junk = [[[7] * 40, *unknown, "no such text", None, {"a": 1}], 5, "x" * 4000]
    found["junk"], found["counts junk"] = answers(llm, tasks, [junk[index % 3] for index in range(len(tasks))])
    found["short"] = [list(one.outputs[0].token_ids) for one in generate(llm, tasks[:8], drafts, max_tokens=4)]
    found["preempted"], found["preemptions"] = preempted(llm, tasks)
    answers(llm, tasks[:1])  # a step in which ended requests are told of
    found["left"] = [len(speculator._places), len(speculator._waiting), len(core.scheduler._trust)]
    print(json.dumps(found), file=ANSWERS, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
