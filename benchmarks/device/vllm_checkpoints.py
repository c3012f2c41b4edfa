"""Checkpoints of published sizes without weights, which vLLM fills at random (``--load-format dummy``).

The tokenizer is made: one word for each token, so that text means nothing and tokens are counted as they are. Its marks
for pictures have the published ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from transformers.image_utils import OPENAI_CLIP_MEAN, OPENAI_CLIP_STD

from benchmarks.published_sizes import SIZES

CHAT = (
    "{%- for message in messages %}{%- for part in message.content %}"
    "{%- if part.type == 'text' %}{{ part.text }}{% else %}IMAGE{% endif %}{%- endfor %}{%- endfor %}"
)
"""A prompt: the picture, and the words of the request."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """``size`` names the published one; ``marks`` are tokens with their ids, of which ``image`` is what a prompt shows
    a picture with. ``more`` is what the file has beside what transformers' class writes, ``tiny`` what a test has in
    place of the published sizes, ``images`` how pictures are prepared where transformers' class does not say.
    ``head``: whether it brings a head for multi-token prediction."""

    size: str
    architecture: str
    marks: Mapping[str, int]
    image: str
    tiny: Mapping[str, Any]
    processor: str
    more: Mapping[str, Any] = field(default_factory=dict)
    images: Mapping[str, Any] | None = None
    head: bool = False


_QWEN = {"<|endoftext|>": 151_643, "<|vision_start|>": 151_652, "<|vision_end|>": 151_653, "<|image_pad|>": 151_655}
_TEXT = {"hidden_size": 128, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4}
_TEXT |= {"num_key_value_heads": 2}

CHECKPOINTS = {
    "qwen3-vl-2b": Checkpoint(
        "qwen3-vl-2b",
        "Qwen3VLForConditionalGeneration",
        _QWEN | {"<|video_pad|>": 151_656},
        "<|vision_start|><|image_pad|><|vision_end|>",
        {
            "text_config": _TEXT
            | {
                "head_dim": 32,
                "rope_parameters": {"rope_type": "default", "rope_theta": 5e6, "mrope_section": [6, 5, 5]},
            },
            "vision_config": {
                "depth": 2,
                "hidden_size": 64,
                "intermediate_size": 128,
                "num_heads": 2,
                "out_hidden_size": 128,
                "deepstack_visual_indexes": [0],
            },
        },
        "Qwen3VLProcessor",
    ),
    "dots.ocr": Checkpoint(
        "dots.ocr",
        "DotsOCRForCausalLM",
        {"<|endoftext|>": 151_643, "<|video_pad|>": 151_656, "<|img|>": 151_666, "<|imgpad|>": 151_665}
        | {"<|endofimg|>": 151_667},
        "<|img|><|imgpad|><|endofimg|>",
        _TEXT
        | {
            "vision_config": {
                "embed_dim": 64,
                "hidden_size": 128,
                "intermediate_size": 96,
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
            }
        },
        "Qwen2_5_VLProcessor",
    ),
    "glm-ocr": Checkpoint(
        "glm-ocr",
        "GlmOcrForConditionalGeneration",
        {"<|endoftext|>": 59_246, "<|begin_of_image|>": 59_256, "<|end_of_image|>": 59_257, "<|image|>": 59_280}
        | {"<|begin_of_video|>": 59_258, "<|end_of_video|>": 59_259, "<|video|>": 59_281},
        "<|begin_of_image|><|image|><|end_of_image|>",
        {
            "text_config": _TEXT
            | {
                "intermediate_size": 96,
                "head_dim": 32,
                "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [4, 6, 6]},
            },
            "vision_config": {
                "depth": 2,
                "hidden_size": 64,
                "intermediate_size": 96,
                "num_heads": 2,
                "out_hidden_size": 128,
            },
        },
        "Glm46VProcessor",
        {
            "text_config": {
                **SIZES["glm-ocr"].text,
                "vocab_size": 59_392,
                "num_nextn_predict_layers": 1,
                "partial_rotary_factor": 1.0,
            }
        },
        images={
            "image_processor_type": "Glm46VImageProcessor",
            "patch_size": 14,
            "merge_size": 2,
            "temporal_patch_size": 2,
            "size": {"shortest_edge": 12_544, "longest_edge": 9_633_792},
        },
        head=True,
    ),
}


def write(name: str, folder: Path, tiny: bool = False) -> Path:
    """The checkpoint's files in ``folder``, which is made; returns it."""
    from benchmarks.random_weights import PUBLISHED, published_size

    one = CHECKPOINTS[name]
    published = PUBLISHED.get(one.size) or published_size(SIZES[one.size])
    folder.mkdir(parents=True, exist_ok=True)
    config = published.config(None).to_dict() | {"architectures": [one.architecture], "transformers_version": None}
    _merge(config, one.more)
    _merge(config, one.tiny if tiny else {})
    text = config.get("text_config", config)
    if text.get("layer_types"):
        text["layer_types"] = text["layer_types"][: text["num_hidden_layers"]]
    text["eos_token_id"] = config["eos_token_id"] = one.marks["<|endoftext|>"]
    _json(folder / "config.json", config)
    _json(folder / "generation_config.json", {"eos_token_id": one.marks["<|endoftext|>"]})
    if one.images is None:
        assert published.images is not None
        images = published.images().to_dict()
    else:
        images = {"image_mean": OPENAI_CLIP_MEAN, "image_std": OPENAI_CLIP_STD, **one.images}
    if tiny:
        images["size"] = {"shortest_edge": 3136, "longest_edge": 50_176}
    _json(folder / "preprocessor_config.json", images)
    _json(folder / "processor_config.json", {"processor_class": one.processor, "image_processor": images})
    (folder / "chat_template.jinja").write_text(CHAT.replace("IMAGE", one.image))
    _tokenizer(one, text["vocab_size"], folder)
    return folder


def _tokenizer(one: Checkpoint, vocabulary: int, folder: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    named = {token: mark for mark, token in one.marks.items()}
    words = {named.get(token, f"t{token}"): token for token in range(vocabulary)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="t0"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(list(one.marks))
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|endoftext|>",
        "pad_token": "<|endoftext|>",
    }
    _json(folder / "tokenizer_config.json", settings)


def _merge(values: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, value in more.items():
        if isinstance(value, Mapping) and isinstance(values.get(name), dict) and name.endswith("_config"):
            _merge(values[name], value)
        else:
            values[name] = value


def _json(file: Path, values: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(values, indent=1))
