"""Run by vLLM's Python: what a scripted model of random weights writes in a real vLLM. Prints one JSON object.

``scripted.py MODEL TASKS.json SCRIPTS.json WAY...``; a way is the name of one in :data:`WAYS`.
"""

from __future__ import annotations

import json
import os
import sys

if os.environ.get("VLLM_USE_V2_MODEL_RUNNER") == "1":
    from tests.vllm.second_runner import keep_asynchronous

    keep_asynchronous()

from tests.vllm.scenarios import ANSWERS, DOCSPEC, counts, read_tasks  # noqa: I001  # first: vLLM may print
from vllm import LLM, SamplingParams

from benchmarks.device import vllm_scripted_names as names

WAYS = {
    "plain": None,
    "docspec": {**DOCSPEC, "num_speculative_tokens": 15},
    "ngram": {"method": "ngram", "num_speculative_tokens": 8, "prompt_lookup_max": 4},
    "mtp": {"method": "mtp", "num_speculative_tokens": 3},
    "docspec, mtp": {"method": "mtp", "num_speculative_tokens": 15, "disable_padded_drafter_batch": True},
}


def main(model: str, tasks_file: str, scripts_file: str, *ways: str) -> None:
    tasks = read_tasks(tasks_file)
    found = {}
    for way in ways:
        is_both = way == "docspec, mtp"
        llm = LLM(
            model,
            load_format="dummy",
            dtype="float32",
            enforce_eager=True,
            max_model_len=2048,
            max_num_seqs=4,
            max_num_batched_tokens=256,  # prompts in pieces
            limit_mm_per_prompt={"image": 1},
            speculative_config=WAYS[way],
            mm_processor_cache_gb=0,
            disable_log_stats=False,
            worker_extension_cls=names.BEFORE_HEAD if is_both else names.SCRIPTED,
            additional_config={
                names.SCRIPTS: scripts_file,
                names.HEAD_RIGHT: 0.8,
                **({"docspec_head_tokens": 3} if is_both else {}),
            },
        )
        asked = [{"prompt_token_ids": task["prompt"], "multi_modal_data": {"image": task["picture"]}} for task in tasks]
        told = [
            SamplingParams(
                temperature=0.0, max_tokens=task["budget"], ignore_eos=True, extra_args=task["extra"] or None
            )
            for task in tasks
        ]
        written = [list(one.outputs[0].token_ids) for one in llm.generate(asked, told, use_tqdm=False)]
        found[way] = {"tokens": written, "counts": counts(llm)}
        del llm
    print(json.dumps(found), file=ANSWERS, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
