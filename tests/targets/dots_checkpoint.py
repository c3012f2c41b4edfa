"""A small dots.ocr checkpoint in the published layout: random weights, for tests; it does not read.

File names, configuration keys and parameter names are those of `rednote-hilab/dots.ocr`, so whatever loads
this directory also loads the published one. Only the sizes, the token ids and the vocabulary are its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from docspec.targets.dots_ocr import processing as marks
from docspec.targets.dots_ocr.configuration import DotsOCRConfig
from docspec.targets.dots_ocr.modeling import DotsOCRForCausalLM

# In the order of the published ids 151643-151673, as far as they matter here.
SPECIAL_TOKENS = (
    marks.END_OF_TEXT,
    "<|im_start|>",
    "<|im_end|>",
    "<|video_pad|>",
    marks.IMAGE_PAD,
    marks.IMAGE,
    marks.END_OF_IMAGE,
    "<|systemprompt|>",
    "<|endofsystemprompt|>",
    marks.USER,
    marks.END_OF_USER,
    marks.ASSISTANT,
    marks.END_OF_ASSISTANT,
)
LEARNED_TOKENS = 64
LIVELINESS = 2.0
"""Factor on the decoder's matrices: plain random weights soon repeat themselves, these wander."""
EOS_SHARE = 0.5
"""Factor on the logits of the end tokens, so that most answers are long enough to test with."""
VOCAB_SIZE = 512
"""Rows of the embedding; like the published 151,936, more than the tokenizer has entries."""

TEXT = (
    '[{"bbox": [52, 60, 548, 96], "category": "Title", "text": "# The house at the end of the road"}, '
    '{"bbox": [52, 112, 548, 340], "category": "Text", "text": "They were all there when morning came."}, '
    '{"bbox": [52, 352, 548, 420], "category": "List-item", "text": "- first\\n- second"}, '
    '{"bbox": [60, 430, 500, 600], "category": "Picture"}, '
    '{"bbox": [52, 610, 548, 700], "category": "Table", "text": "<table><tr><td>10</td></tr></table>"}]'
)
TEMPLATE = (
    "{%- for m in messages %}"
    "{%- if m.role == 'system' %}{{- '<|system|>' + m.content + '<|endofsystem|>\\n' }}"
    "{%- elif m.role == 'user' %}{{- '<|user|>' + m.content + '<|endofuser|>' }}"
    "{%- elif m.role == 'assistant' %}{{- '<|assistant|>' + m.content }}"
    "{%- if not loop.last %}{{- '<|endofassistant|>' }}{%- endif %}{%- endif %}{%- endfor %}"
    "{%- if messages[-1].role != 'assistant' %}{{- '<|assistant|>' }}{%- endif %}"
)


def write_tiny_dots_ocr(directory: str | Path, seed: int = 0, *, shards: int = 1, hidden: int = 64) -> Path:
    """Write the checkpoint into `directory` (made if missing) and return it; takes well under three seconds.

    The same `seed` gives the same weights (stored as bfloat16, like the published ones). With `shards` > 1
    the weights are spread over that many files with an index, as published. `hidden` is the width of the
    decoder, which has four heads.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    tokenizer = _train_tokenizer()
    tokenizer.save(str(directory / "tokenizer.json"))
    vocabulary = tokenizer.get_vocab()
    ids = {token: vocabulary[token] for token in SPECIAL_TOKENS}
    config = _config(ids, hidden)
    eos = [ids[marks.END_OF_TEXT], ids[marks.END_OF_ASSISTANT]]
    _write(directory / "config.json", config)
    _write(directory / "generation_config.json", {"max_length": 32768, "eos_token_id": eos})
    _write(directory / "tokenizer_config.json", _tokenizer_config(ids))
    _write(directory / "chat_template.json", {"chat_template": TEMPLATE})
    _write(directory / "preprocessor_config.json", _preprocessor_config())
    _save_weights(directory, _random_weights(config, ids, seed), shards)
    return directory


def _train_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=len(alphabet) + LEARNED_TOKENS, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([TEXT], trainer=trainer)
    # Added last: as in the published vocabulary, the markers' ids follow those of all text.
    tokenizer.add_special_tokens(list(SPECIAL_TOKENS))
    return tokenizer


def _config(ids: dict[str, int], hidden: int) -> dict[str, Any]:
    return {
        "architectures": ["DotsOCRForCausalLM"],
        "model_type": "dots_ocr",
        "auto_map": {
            "AutoConfig": "configuration_dots.DotsOCRConfig",
            "AutoModelForCausalLM": "modeling_dots_ocr.DotsOCRForCausalLM",
        },
        "attention_bias": True,
        "attention_dropout": 0.0,
        "hidden_act": "silu",
        "hidden_size": hidden,
        "initializer_range": 0.02,
        "intermediate_size": 128,
        "max_position_embeddings": 131072,
        "max_window_layers": 28,
        "num_attention_heads": 4,
        "num_hidden_layers": 2,
        "num_key_value_heads": 2,
        "rms_norm_eps": 1e-06,
        "rope_scaling": None,
        "rope_theta": 1000000,
        "sliding_window": 131072,
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
        "transformers_version": "4.51.0",
        "use_cache": True,
        "use_sliding_window": False,
        "vocab_size": VOCAB_SIZE,
        "image_token_id": ids[marks.IMAGE_PAD],
        "video_token_id": ids["<|video_pad|>"],
        "vision_config": {
            "embed_dim": 48,
            "hidden_size": hidden,
            "intermediate_size": 96,
            "num_hidden_layers": 2,
            "num_attention_heads": 3,
            "num_channels": 3,
            "patch_size": 14,
            "post_norm": True,
            "rms_norm_eps": 1e-05,
            "spatial_merge_size": 2,
            "temporal_patch_size": 1,
            "use_bias": False,
            "attn_implementation": "flash_attention_2",
            "init_merger_std": 0.02,
            "initializer_range": 0.02,
            "is_causal": False,
        },
    }


def _preprocessor_config() -> dict[str, Any]:
    return {
        "min_pixels": 3136,
        "max_pixels": 11289600,
        "patch_size": 14,
        "temporal_patch_size": 1,
        "merge_size": 2,
        "image_mean": [0.48145466, 0.4578275, 0.40821073],
        "image_std": [0.26862954, 0.26130258, 0.27577711],
        "image_processor_type": "Qwen2VLImageProcessor",
        "processor_class": "DotsVLProcessor",
        "auto_map": {"AutoProcessor": "configuration_dots.DotsVLProcessor"},
    }


def _tokenizer_config(ids: dict[str, int]) -> dict[str, Any]:
    added = {
        str(number): {
            "content": token,
            "lstrip": False,
            "normalized": False,
            "rstrip": False,
            "single_word": False,
            "special": True,
        }
        for token, number in ids.items()
    }
    return {
        "add_bos_token": False,
        "add_prefix_space": False,
        "added_tokens_decoder": added,
        "bos_token": None,
        "chat_template": TEMPLATE,
        "clean_up_tokenization_spaces": False,
        "eos_token": marks.END_OF_TEXT,
        "errors": "replace",
        "model_max_length": 131072,
        "pad_token": "[PAD]",
        "processor_class": "DotsVLProcessor",
        "split_special_tokens": False,
        "tokenizer_class": "Qwen2Tokenizer",
        "unk_token": None,
    }


def _random_weights(config: dict[str, Any], ids: dict[str, int], seed: int) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    with torch.device("meta"):
        shapes = DotsOCRForCausalLM(DotsOCRConfig(**config)).state_dict()
    weights = {}
    for name, value in shapes.items():
        if value.ndim == 1:
            base = 0.0 if name.endswith("bias") else 1.0
            weights[name] = base + 0.1 * torch.randn(value.shape, generator=generator)
        else:
            fan_in = value[0].numel() if name != "model.embed_tokens.weight" else 1
            gain = LIVELINESS if name.startswith("model.layers.") else 1.0
            weights[name] = torch.randn(value.shape, generator=generator) * gain * fan_in**-0.5
    eos = [ids[marks.END_OF_TEXT], ids[marks.END_OF_ASSISTANT]]
    weights["lm_head.weight"][eos] *= EOS_SHARE
    # A trained model never writes a marker or a spare id; a random one would.
    silent = [number for number in range(min(ids.values()), VOCAB_SIZE) if number not in eos]
    weights["lm_head.weight"][silent] = 0.0
    return {name: value.to(torch.bfloat16) for name, value in weights.items()}


def _save_weights(directory: Path, weights: dict[str, torch.Tensor], shards: int) -> None:
    names = sorted(weights)
    if shards == 1:
        save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
        return
    files = {}
    for number in range(shards):
        file = f"model-{number + 1:05d}-of-{shards:05d}.safetensors"
        part = {name: weights[name] for name in names[number::shards]}
        save_file(part, directory / file, metadata={"format": "pt"})
        files.update(dict.fromkeys(part, file))
    size = sum(value.numel() * value.element_size() for value in weights.values())
    _write(directory / "model.safetensors.index.json", {"metadata": {"total_size": size}, "weight_map": files})


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
