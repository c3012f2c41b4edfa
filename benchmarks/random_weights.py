"""Targets of published size with random weights, built in place: what they write means nothing, what they cost is real.

Sizes are those of the published configurations; no file is read and nothing is fetched. They have no tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import torch
from PIL.Image import Image
from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

from benchmarks.published_sizes import SIZES, PublishedSize
from docspec.core import ModelError
from docspec.core.choices import Graphs
from docspec.core.page import DOTS_MAX_PIXELS, DOTS_MIN_PIXELS
from docspec.targets.adapter import TransformersTarget
from docspec.targets.attention import attentions
from docspec.targets.dots_ocr.configuration import DotsOCRConfig
from docspec.targets.dots_ocr.modeling import DotsOCRForCausalLM
from docspec.targets.estimate import Estimate, bytes_per_prompt_token, check_room, free_memory
from docspec.targets.families import families
from docspec.targets.own_processor import named_class
from docspec.targets.processing import Processing
from docspec.targets.stepping.choice import make_steps
from training.reader import model as reader

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

INSTRUCTION = 24
"""Text tokens of a prompt, about what a chat template with a short instruction takes."""

SEED = 0

SLOTS = 16_384
"""Tokens of a page's row, by which the pieces of its prompt are chosen."""


@dataclass(frozen=True, slots=True)
class PublishedConfig:
    """One configuration: how its model is made of a vocabulary size (``None``: the published one). ``typed``: whether
    its positions depend on what is an image token. Without ``images`` nothing can be read with it, only stepped."""

    config: Callable[[int | None], PreTrainedConfig]
    model: Any
    images: Callable[[], Any] | None
    typed: bool
    vision_attention: str = "sdpa"


def _qwen3_vl(text: dict[str, Any], vision: dict[str, Any], tied: bool) -> Callable[[int | None], Qwen3VLConfig]:
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
            **({} if vocab_size is None else {"image_token_id": 1, "video_token_id": 2, "vision_start_token_id": 3}),
        )

    return config


def _reader(size: str) -> Callable[[int | None], Qwen3VLConfig]:
    return lambda vocab_size: reader.config(size, vocab_size or reader.tok.VOCAB_SIZE)


def _images(patch: int, temporal: int, least: int, most: int) -> Callable[[], Any]:
    return lambda: _image_processor()(
        patch_size=patch,
        merge_size=2,
        temporal_patch_size=temporal,
        size={"shortest_edge": least, "longest_edge": most},
    )


def _image_processor() -> Any:
    """The class that transformers takes here: torchvision's where that is installed."""
    if find_spec("torchvision") is None:
        from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil as Found
    else:
        from transformers.models.qwen2_vl.image_processing_qwen2_vl import Qwen2VLImageProcessor as Found
    return Found


_QWEN_IMAGES = _images(16, 2, 65_536, 16_777_216)

IMAGES = {
    "qwen2_vl": _images(14, 2, 3136, 12_845_056),
    "qwen2_5_vl": _images(14, 2, 3136, 12_845_056),
    "qwen3_vl_moe": _QWEN_IMAGES,
    "qwen3_5": _QWEN_IMAGES,
}
"""How the families of :data:`benchmarks.published_sizes.SIZES` that do as Qwen does prepare images."""

PUBLISHED: dict[str, PublishedConfig] = {
    "qwen3-vl-2b": PublishedConfig(
        _qwen3_vl(
            {"hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28, "num_attention_heads": 16},
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
    "qwen3-vl-4b": PublishedConfig(
        _qwen3_vl(
            {"hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36, "num_attention_heads": 32},
            {
                "depth": 24,
                "hidden_size": 1024,
                "intermediate_size": 4096,
                "out_hidden_size": 2560,
                "deepstack_visual_indexes": [5, 11, 17],
            },
            tied=True,
        ),
        Qwen3VLForConditionalGeneration,
        _QWEN_IMAGES,
        typed=True,
    ),
    "qwen3-vl-8b": PublishedConfig(
        _qwen3_vl(
            {"hidden_size": 4096, "intermediate_size": 12_288, "num_hidden_layers": 36, "num_attention_heads": 32},
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
    "dots.ocr": PublishedConfig(
        lambda vocab_size: DotsOCRConfig(
            **({} if vocab_size is None else {"vocab_size": vocab_size, "image_token_id": 1, "video_token_id": 2})
        ),
        DotsOCRForCausalLM,
        _images(14, 1, DOTS_MIN_PIXELS, DOTS_MAX_PIXELS),
        typed=False,
    ),
    "mini": PublishedConfig(_reader("mini"), Qwen3VLForConditionalGeneration, reader.image_processor, typed=True),
    "tiny": PublishedConfig(_reader("tiny"), Qwen3VLForConditionalGeneration, reader.image_processor, typed=True),
}
"""Configurations by the names that commands know; ``tiny`` is for tests."""


class WordlessProcessing(Processing):
    """Images as the model takes them, and a prompt of as many meaningless text tokens as a real one has."""

    def __init__(self, images: Any | None, image_token_id: int, typed: bool) -> None:
        super().__init__(images, None)
        self._image_token_id = image_token_id
        self._typed = typed

    @property
    def factor(self) -> int:
        """Where no images can be shown, that of Qwen3-VL."""
        return 32 if self.image_processor is None else super().factor

    def encode(self, image: Image, prompt: str) -> dict[str, torch.Tensor]:
        """Model inputs for ``image``; ``prompt`` is not read. Raises :class:`docspec.core.ModelError` where the
        family's images are prepared in another way than Qwen's."""
        if self.image_processor is None:
            raise ModelError("this configuration can be stepped (step), but shown no page")
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


def published_size(size: PublishedSize) -> PublishedConfig:
    """How the model of ``size`` is made. Its class is looked up when it is asked for."""
    family = families()[size.model_type]
    model = named_class(family.architecture)

    def config(vocab_size: int | None) -> PreTrainedConfig:
        text = {**size.text, **({} if vocab_size is None else {"vocab_size": vocab_size})}
        parts = {"text_config": text, "vision_config": dict(size.vision)}
        tied = {} if size.tied is None else {"tie_word_embeddings": size.tied}
        made: PreTrainedConfig = model.config_class(**{name: part for name, part in parts.items() if part}, **tied)
        return made

    images = IMAGES.get(size.model_type)
    return PublishedConfig(config, model, images, typed=True, vision_attention=family.vision_attention)


def random_target(
    name: str, device: torch.device, dtype: torch.dtype, graphs: Graphs = "auto", vocabulary: int = 0
) -> TransformersTarget:
    """The target called ``name`` in :data:`PUBLISHED` with random weights, made on ``device``.

    Its vocabulary is the published one, or ``vocabulary`` tokens where that is more. Raises
    :class:`docspec.core.ModelError` for a name that is not there, and before anything is made where the weights would
    not fit into the memory that is free.
    """
    published = PUBLISHED.get(name) or (published_size(SIZES[name]) if name in SIZES else None)
    if published is None:
        raise ModelError(f"no configuration is called '{name}'; choose among {', '.join((*PUBLISHED, *SIZES))}")
    config = published.config(None)
    if vocabulary > config.get_text_config().vocab_size:
        config = published.config(-(-vocabulary // 128) * 128)
    attention = attentions("auto", config.sub_configs, published.vision_attention)
    with torch.device("meta"):
        outline = published.model._from_config(config, dtype=dtype, attn_implementation=attention)
    weights = sum(weight.numel() for weight in outline.parameters())
    text, item = config.get_text_config().to_dict(), dtype.itemsize
    needed = Estimate(weights * item, 0, 1, 0, bytes_per_prompt_token(text, item, SLOTS))
    free = free_memory(device)
    check_room(f"{name} with random weights", needed, free)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []), torch.device(device):
        torch.manual_seed(SEED)
        model = published.model._from_config(config, dtype=dtype, attn_implementation=attention)
    model = model.to(device).requires_grad_(False)
    images = None if published.images is None else published.images()
    processing = WordlessProcessing(images, config.image_token_id, typed=published.typed)
    target = TransformersTarget(model, processing, eos_ids=frozenset())
    target.piece = needed.piece(free)
    target.steps = make_steps(target, graphs)
    return target
