"""Run by vLLM's Python: what vLLM writes in bfloat16, one request at a time and all at once, without drafts and with.

``half_precision_vllm.py TASKS.json``: for each checkpoint its folder, prompt, pictures (data URLs), drafts (token ids)
and token limit. Prints one JSON object, the tokens by way.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
os.environ.update(VLLM_ENABLE_V1_MULTIPROCESSING="0", VLLM_LOGGING_LEVEL="ERROR", VLLM_CPU_KVCACHE_SPACE="1")

from vllm import LLM, SamplingParams  # noqa: E402

DOCSPEC = {"method": "custom_class", "model": "docspec.vllm.Proposer", "num_speculative_tokens": 47}


def main(file: str) -> None:
    found: dict[str, dict[str, Any]] = {}
    for name, task in json.loads(Path(file).read_text(encoding="utf-8")).items():
        found[name] = {}
        for drafted in (False, True):
            llm = LLM(
                task["folder"],
                dtype="bfloat16",
                enforce_eager=True,
                enable_prefix_caching=False,
                max_model_len=1024,
                max_num_seqs=8,
                limit_mm_per_prompt={"image": 1},
                speculative_config=DOCSPEC if drafted else None,
            )
            parts = [[{"type": "image_url", "image_url": {"url": one}}, {"type": "text", "text": task["prompt"]}]
                     for one in task["pictures"]]  # fmt: skip
            asked = [
                (
                    [{"role": "user", "content": one}],
                    SamplingParams(
                        temperature=0.0,
                        max_tokens=task["budget"],
                        extra_args={"docspec_drafts": [draft]} if drafted else None,
                    ),
                )
                for one, draft in zip(parts, task["drafts"], strict=True)
            ]
            name_of = "drafts, " if drafted else ""
            found[name][f"{name_of}alone"] = [told(llm, [one])[0] for one in asked]
            found[name][f"{name_of}together"] = told(llm, asked)
            del llm
    print(json.dumps(found), file=ANSWERS, flush=True)


def told(llm: Any, asked: list[Any]) -> list[list[int]]:
    """The tokens of each answer."""
    conversations, parameters = map(list, zip(*asked, strict=True))
    answers = llm.chat(conversations, parameters, use_tqdm=False)
    return [list(one.outputs[0].token_ids) for one in answers]


if __name__ == "__main__":
    main(sys.argv[1])
