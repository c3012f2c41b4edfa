"""Tiny random checkpoints in the files and names of published ones: they do not read, but every token depends on the
image and on all that was written before."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from PIL.Image import Image
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from docspec.targets.families import families
from docspec.targets.family import Family
from docspec.targets.own_processor import named_class

VOCABULARY = 320
"""Rows of the embeddings: 256 bytes, the family's own marks, and spare ones."""

LIVELINESS = 2.5
"""Factor on matrices: plain random weights repeat one token for ever, these wander."""

TEXT = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
}
"""Sizes of the text part, in the names that nearly all configurations use."""

TURNED = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}
"""Rotary embedding over three axes for heads of eight numbers."""

CHAT = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{% for part in message.content %}"
    "{% if part.type == 'image' %}IMAGE{% else %}{{ part.text }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""A chat template in the way of most; ``IMAGE`` is what the family shows an image with."""

TILES = tuple(f"<row_{row}_col_{column}>" for row in range(1, 4) for column in range(1, 4))
"""Marks that Idefics and its kin put before the tiles of a page."""

CHAT_MARKS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


@dataclass(frozen=True)
class Case:
    """A family's published files in small. ``config`` and ``processor`` are made of the ids of ``marks``; ``names`` are
    the marks that the tokenizer knows by attribute; ``inputs`` are the model inputs that one image and prompt give
    beside the tokens. ``image_mark`` stands ``image_tokens`` times for a picture of that shape, between ``frame``
    where the processor writes that. ``zoom`` is how much larger pictures have to be to be cut into views, and ``shape``
    that of a page which is cut into few.
    ``own_inputs`` is what the published code makes of a picture and "Read.", written down once more, where transformers
    has no processor. With weights of ``seed`` it does not write one token for ever."""

    model_type: str
    marks: tuple[str, ...]
    config: Callable[[Mapping[str, int]], dict[str, Any]]
    images: dict[str, Any]
    image_tokens: int
    image_mark: str
    processor: dict[str, Any] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    template: str | None = None
    frame: tuple[str, str] = ("", "")
    zoom: int = 1
    shape: tuple[int, int] = (160, 96)
    own_inputs: Callable[[Path, Image], dict[str, Any]] | None = None
    seed: int = 0
    inputs: frozenset[str] = frozenset({"pixel_values", "image_grid_thw", "mm_token_type_ids"})

    @property
    def family(self) -> Family:
        return families()[self.model_type]


def write(case: Case, directory: Path, seed: int | None = None) -> Path:
    """Writes the checkpoint into ``directory`` and returns it."""
    directory.mkdir(parents=True, exist_ok=True)
    ids = _tokenizer(case, directory)
    config = {"model_type": case.model_type, **case.config(ids)}
    _json(directory / "config.json", config)
    _json(directory / "preprocessor_config.json", case.images)
    if case.processor:
        _json(directory / "processor_config.json", case.processor)
    if case.template is not None:
        (directory / "chat_template.jinja").write_text(case.template)
    model = _model(case, directory, ids, case.seed if seed is None else seed)
    model.generation_config.eos_token_id = ids["<|endoftext|>"]
    model.save_pretrained(directory)
    _json(directory / "config.json", config)
    return directory


def _tokenizer(case: Case, directory: Path) -> dict[str, int]:
    """Writes a tokenizer of single bytes and the family's marks; the marks' ids."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: index for index, letter in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(dict.fromkeys((*CHAT_MARKS, *case.marks))))
    tokenizer.save(str(directory / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": "<|endoftext|>",
        "pad_token": "<|endoftext|>",
        "extra_special_tokens": case.names,
    }
    _json(directory / "tokenizer_config.json", settings)
    return {mark: tokenizer.token_to_id(mark) for mark in (*CHAT_MARKS, *case.marks)}


@torch.no_grad()
def _model(case: Case, directory: Path, ids: Mapping[str, int], seed: int) -> Any:
    cls = named_class(case.family.architecture)
    generator = torch.Generator().manual_seed(seed)
    model = cls(cls.config_class.from_pretrained(directory))
    for name, weight in model.named_parameters():
        if weight.ndim == 1:
            weight.copy_(0.1 * torch.randn(weight.shape, generator=generator) + ("norm" in name or "ln" in name))
        else:
            gain = 1.0 if "embed_tokens" in name or "lm_head" in name else LIVELINESS
            fan_in = 1 if "embed" in name else weight[0].numel()
            weight.copy_(gain * fan_in**-0.5 * torch.randn(weight.shape, generator=generator))
    for table in (model.get_input_embeddings().weight, model.get_output_embeddings().weight):
        table[min(ids.values()) :] *= 0.1  # a trained model seldom writes marks
    return model.eval()


def _json(file: Path, values: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(values, indent=1))
