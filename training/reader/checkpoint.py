"""Writing and reading a reader's checkpoint directory.

The directory is an ordinary transformers checkpoint (bf16 safetensors, tokenizer with chat template, PIL
image processor, greedy generation configuration) plus `docspec.json`, which says how the target registry
speaks to it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer, PreTrainedTokenizerFast, Qwen3VLForConditionalGeneration
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from training.reader import model as reader_model
from training.reader import tokenizer as tok

NOTE = "reads clean English print, line by line"
PAGE = 1408 * 64  # pixels that are read whole: a line or two; pages come out better by regions, lines best
LINE = (1408, 960)  # width and height of the largest crops
RANDOM_NOTE = "random weights: does not read"


def save(
    model: Qwen3VLForConditionalGeneration, tokenizer: PreTrainedTokenizerFast, directory: Path, *, random: bool = False
) -> None:
    """Write `model` (rounded to bf16), tokenizer and configurations into `directory`; the model given is not
    changed."""
    directory.mkdir(parents=True, exist_ok=True)
    rounded = Qwen3VLForConditionalGeneration(model.config).to(torch.bfloat16)
    rounded.load_state_dict({name: value.to(torch.bfloat16) for name, value in model.state_dict().items()})
    rounded.generation_config = model.generation_config
    rounded.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    reader_model.image_processor().save_pretrained(directory)
    facts: dict[str, Any] = {
        "dialect": "markdown",
        "prompt": tok.PROMPT,
        "crop_prompt": tok.PROMPT,
        "line_pitch_px": reader_model.CELL,
        "note": RANDOM_NOTE if random else NOTE,
        "max_new_tokens": 2048,
    }
    if random:
        facts["random"] = True
    else:
        facts |= {"page_pixels": PAGE, "crop_lines": 1, "crop_width": LINE[0], "crop_height": LINE[1]}
        facts["table_cells"] = True
    (directory / "docspec.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def load(
    directory: Path, dtype: torch.dtype = torch.float32
) -> tuple[Qwen3VLForConditionalGeneration, PreTrainedTokenizerFast, Qwen2VLImageProcessorPil]:
    """Model in `dtype`, tokenizer and image processor of a checkpoint directory, as any transformers user
    loads them."""
    model = Qwen3VLForConditionalGeneration.from_pretrained(directory, dtype=dtype).eval()
    return (model, AutoTokenizer.from_pretrained(directory), Qwen2VLImageProcessorPil.from_pretrained(directory))


def blend(first: Path, second: Path, directory: Path, share: float) -> None:
    """Write a checkpoint whose weights are `share` of `second`'s and the rest of `first`'s, of one network and
    tokenizer: a reader trained further and what it was before, which had forgotten nothing yet (Wortsman et al., Model
    soups, arXiv 2203.05482)."""
    (model, tokenizer, _), (other, _, _) = load(second), load(first)
    before = other.state_dict()
    model.load_state_dict({name: before[name].lerp(value, share) for name, value in model.state_dict().items()})
    save(model, tokenizer, directory)


def init(directory: Path, size: str = "tiny", seed: int = 0) -> None:
    """Write a checkpoint with random weights: the layout of a trained one, for tests that need no reading."""
    tokenizer = tok.train_tokenizer()
    save(reader_model.build(size, seed=seed), tokenizer, directory, random=True)
