"""Targets of published size with random weights, built in place: what they write means nothing, what they cost is real.

Sizes are those of the published configurations; no file is read and nothing is fetched. They have no tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from PIL.Image import Image
from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from docspec.core import ModelError
from docspec.core.options import Graphs
from docspec.core.sizes import DOTS_MAX_PIXELS, DOTS_MIN_PIXELS
from docspec.reader import model as reader
from docspec.targets.adapter import TransformersTarget
from docspec.targets.attention import attentions
from docspec.targets.dots_ocr.configuration import DotsOCRConfig
from docspec.targets.dots_ocr.modeling import DotsOCRForCausalLM
from docspec.targets.processing import Processing
from docspec.targets.stepping.choice import make_steps

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

INSTRUCTION = 24
"""Text tokens of a prompt, about what a chat template with a short instruction takes."""

SEED = 0


@dataclass(frozen=True, slots=True)
class Published:
    """One configuration: how its model is made of a vocabulary size (``None``: the published one). ``typed``: whether
    its positions depend on what is an image token."""

    config: Callable[[int | None], PreTrainedConfig]
    model: Any
    images: Callable[[], Qwen2VLImageProcessorPil]
    typed: bool


def _qwen3_vl(
    text: dict[str, Any], vision: dict[str, Any], tied: bool
) -> Callable[[int | None], Qwen3VLConfig]:
    def config(vocab_size: int | None) -> Qwen3VLConfig:
        return Qwen3VLConfig(
            text_config={
                "vocab_size": vocab_size or 151_936,
                "num_key_value_heads": 8,
                "head_dim": 128,
                "max_position_embeddings": 262_144,
                "rope_parameters": {
                    "rope_type": "default",
                    "rope_theta": 5_000_000.0,
                    "mrope_section": [24, 20, 20],
                    "mrope_interleaved": True,
                },
                **text,
            },
            vision_config={"num_heads": 16, "num_position_embeddings": 2304, **vision},
            tie_word_embeddings=tied,
            **(
                {}
                if vocab_size is None
                else {"image_token_id": 1, "video_token_id": 2, "vision_start_token_id": 3}
            ),
        )

    return config


def _reader(size: str) -> Callable[[int | None], Qwen3VLConfig]:
    return lambda vocab_size: reader.config(size, vocab_size or reader.tok.VOCAB_SIZE)


def _images(patch: int, temporal: int, least: int, most: int) -> Callable[[], Qwen2VLImageProcessorPil]:
    return lambda: Qwen2VLImageProcessorPil(
        patch_size=patch,
        merge_size=2,
        temporal_patch_size=temporal,
        size={"shortest_edge": least, "longest_edge": most},
    )


_QWEN_IMAGES = _images(16, 2, 65_536, 16_777_216)

PUBLISHED: dict[str, Published] = {
    "qwen3-vl-2b": Published(
        _qwen3_vl(
            {
                "hidden_size": 2048,
                "intermediate_size": 6144,
                "num_hidden_layers": 28,
                "num_attention_heads": 16,
            },
            {
                "depth": 24,
                "hidden_size": 1024,
                "intermediate_size": 4096,
                "out_hidden_size": 2048,
                "deepstack_visual_indexes": [5, 11, 17],
            },
            tied=True,
        ),
        Qwen3VLForConditionalGeneration,
        _QWEN_IMAGES,
        typed=True,
    ),
    "qwen3-vl-8b": Published(
        _qwen3_vl(
            {
                "hidden_size": 4096,
                "intermediate_size": 12_288,
                "num_hidden_layers": 36,
                "num_attention_heads": 32,
            },
            {
                "depth": 27,
                "hidden_size": 1152,
                "intermediate_size": 4304,
                "out_hidden_size": 4096,
                "deepstack_visual_indexes": [8, 16, 24],
            },
            tied=False,
        ),
        Qwen3VLForConditionalGeneration,
        _QWEN_IMAGES,
        typed=True,
    ),
    "dots.ocr": Published(
        lambda vocab_size: DotsOCRConfig(
            **(
                {}
                if vocab_size is None
                else {"vocab_size": vocab_size, "image_token_id": 1, "video_token_id": 2}
            )
        ),
        DotsOCRForCausalLM,
        _images(14, 1, DOTS_MIN_PIXELS, DOTS_MAX_PIXELS),
        typed=False,
    ),
    "mini": Published(_reader("mini"), Qwen3VLForConditionalGeneration, reader.image_processor, typed=True),
    "tiny": Published(_reader("tiny"), Qwen3VLForConditionalGeneration, reader.image_processor, typed=True),
}
"""Configurations by the names that commands know; ``tiny`` is for tests."""


class WordlessProcessing(Processing):
    """Images as the model takes them, and a prompt of as many meaningless text tokens as a real one has."""

    def __init__(self, images: Qwen2VLImageProcessorPil, image_token_id: int, typed: bool) -> None:
        super().__init__(images, None)
        self._image_token_id = image_token_id
        self._typed = typed

    def encode(self, image: Image, prompt: str) -> dict[str, torch.Tensor]:
        """Model inputs for ``image``; ``prompt`` is not read."""
        pixels = self.image_processor(images=[image], return_tensors="pt")
        grid = pixels["image_grid_thw"]
        count = self.image_tokens(grid)
        before = INSTRUCTION // 4
        input_ids = torch.zeros((1, INSTRUCTION + count), dtype=torch.long)
        input_ids[0, before : before + count] = self._image_token_id
        inputs = {"input_ids": input_ids, "pixel_values": pixels["pixel_values"], "image_grid_thw": grid}
        if self._typed:
            inputs["mm_token_type_ids"] = (input_ids == self._image_token_id).int()
        return inputs


def random_target(
    name: str,
    device: torch.device,
    dtype: torch.dtype,
    graphs: Graphs = "auto",
    vocabulary: int = 0,
) -> TransformersTarget:
    """The target called ``name`` in :data:`PUBLISHED` with random weights, made on ``device``.

    Its vocabulary is the published one, or ``vocabulary`` tokens where that is more. Raises
    :class:`docspec.core.ModelError` for a name that is not there.
    """
    published = PUBLISHED.get(name)
    if published is None:
        raise ModelError(f"no configuration is called '{name}'; choose among {', '.join(PUBLISHED)}")
    config = published.config(None)
    if vocabulary > config.get_text_config().vocab_size:
        config = published.config(-(-vocabulary // 128) * 128)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []), torch.device(device):
        torch.manual_seed(SEED)
        attention = attentions("auto", config.sub_configs, "sdpa")
        model = published.model._from_config(config, dtype=dtype, attn_implementation=attention)
    model = model.to(device).requires_grad_(False)
    processing = WordlessProcessing(published.images(), config.image_token_id, typed=published.typed)
    target = TransformersTarget(model, processing, eos_ids=frozenset())
    target.steps = make_steps(target, graphs)
    return target
