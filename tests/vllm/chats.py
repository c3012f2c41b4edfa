"""Run by vLLM's Python: what a real vLLM writes for the messages that docspec's client sends. A JSON object a line.

``chats.py FOLDER NAME...``: below ``FOLDER`` each name is a checkpoint with the messages in ``asked.json``.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
os.environ.update(VLLM_ENABLE_V1_MULTIPROCESSING="0", VLLM_LOGGING_LEVEL="ERROR", VLLM_CPU_KVCACHE_SPACE="1")

from vllm import LLM, SamplingParams  # noqa: E402


def main(folder: str, names: list[str]) -> None:
    for name in names:
        directory = Path(folder, name)
        asked = json.loads((directory / "asked.json").read_text(encoding="utf-8"))
        try:
            found: object = answers(str(directory), asked)
        except Exception as error:
            found = f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[-1]}"[:300]
        print(json.dumps({name: found}), file=ANSWERS, flush=True)
        gc.collect()


def answers(model: str, asked: list) -> list[list[int]]:
    llm = LLM(
        model,
        dtype="float32",
        enforce_eager=True,
        max_model_len=1024,
        max_num_seqs=4,
        limit_mm_per_prompt={"image": 1},
        mm_processor_cache_gb=0,
    )
    params = [SamplingParams(temperature=0.0, max_tokens=one["max_tokens"]) for one in asked]
    outputs = llm.chat([one["messages"] for one in asked], params, use_tqdm=False)
    return [list(output.outputs[0].token_ids) for output in outputs]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
