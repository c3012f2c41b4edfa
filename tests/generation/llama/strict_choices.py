"""A program for the Python that has llama-cpp-python: ``strict_choices.py FILE.gguf`` decodes prompts of random tokens
with flash attention, which makes choices depend on how many tokens a pass has. It prints as JSON the noise that was
measured, and for each prompt what was written without drafts and, with that as the draft, what was written and how many
passes had one token, where no choice is doubted, those within the noise are, and all are."""

from __future__ import annotations

import json
import math
import random
import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[3]))

from docspec.generation.interface import GenerationRequest
from docspec.generation.llama.engine import BatchEngine
from docspec.generation.llama.library import load_library
from docspec.generation.llama.loaded import LoadedModel, shape_noise
from docspec.generation.llama.prompt_encoder import PromptPiece
from docspec.generation.llama.sequence import Decoding
from docspec.generation.llama.settings import LlamaSettings

PROMPTS, PROMPT_TOKENS, ANSWER = 12, 12, 40


def main(file: str) -> None:
    settings = LlamaSettings(file, cells=1024, rows=1, flash=True, exact_kv=True, strict=True)
    model = LoadedModel(load_library(), settings)
    noise = shape_noise(model)
    model.is_end = lambda token: False  # type: ignore[method-assign]  # to its limit: no picture, no answer
    draw = random.Random(0)
    found = []
    for _ in range(PROMPTS):
        prompt = [draw.randrange(8, model.vocab_size) for _ in range(PROMPT_TOKENS)]
        plain, _ = _written(model, settings, prompt, (), 0.0)
        drafts = (tuple(plain),) if plain else ()
        found.append([plain, *(_written(model, settings, prompt, drafts, doubt) for doubt in (0.0, noise, math.inf))])
    print(json.dumps({"noise": noise, "found": found}))


def _written(model: LoadedModel, settings: LlamaSettings, prompt: list[int], drafts: Any, doubt: float) -> Any:
    """The tokens of the answer, and how many passes had one token."""
    answers: list[Any] = []
    alone = 0
    decode = model.decode

    def counted(tokens: Any, *rest: Any) -> Any:
        nonlocal alone
        alone += len(tokens) == 1
        return decode(tokens, *rest)

    engine = BatchEngine(model, settings, lambda number, answer: answers.append(answer), doubt)
    model.decode = counted  # type: ignore[method-assign]
    request = GenerationRequest(None, "", ANSWER)
    engine.add(Decoding(0, request, [PromptPiece(len(prompt), tuple(prompt))], drafts, 0.0))
    while not engine.is_idle:
        engine.step()
    del model.decode
    return list(answers[0].token_ids), alone


if __name__ == "__main__":
    main(sys.argv[1])
