"""Run by vLLM's Python: what a real vLLM writes for tiny checkpoints of families, asked by their chat templates.

``families.py TASKS.json``: for each checkpoint its folder, pictures (data URLs) and drafts. Prints one JSON object, the
tokens without drafts and with them.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
os.environ.update(VLLM_ENABLE_V1_MULTIPROCESSING="0", VLLM_LOGGING_LEVEL="ERROR", VLLM_CPU_KVCACHE_SPACE="1")

from vllm import LLM, SamplingParams  # noqa: E402

DOCSPEC = {"method": "custom_class", "model": "docspec.vllm.Proposer", "num_speculative_tokens": 47}


def main(file: str) -> None:
    found = {}
    for name, task in json.loads(Path(file).read_text(encoding="utf-8")).items():
        llm = LLM(
            task["folder"],
            dtype="float32",
            enforce_eager=True,
            max_model_len=1024,
            max_num_seqs=4,
            limit_mm_per_prompt={"image": 1},
            speculative_config=DOCSPEC,
        )
        asked = [conversation(picture, task["prompt"]) for picture in task["pictures"]]
        found[name] = [
            [list(one.outputs[0].token_ids) for one in llm.chat(asked, told(task, drafts), use_tqdm=False)]
            for drafts in ([None] * len(asked), task["drafts"])
        ]
        del llm
    print(json.dumps(found), file=ANSWERS, flush=True)


def conversation(picture: str, prompt: str) -> list:
    parts = [{"type": "image_url", "image_url": {"url": picture}}, {"type": "text", "text": prompt}]
    return [{"role": "user", "content": parts}]


def told(task: dict, drafts: list) -> list:
    return [
        SamplingParams(
            temperature=0.0,
            max_tokens=task["budget"],
            extra_args=None if draft is None else {"docspec_drafts": [draft]},
        )
        for draft in drafts
    ]


if __name__ == "__main__":
    main(sys.argv[1])
