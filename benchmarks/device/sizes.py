"""Targets of published sizes with random weights, as the parts make them."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks import random_weights
from benchmarks.device.context import GIB, Context
from docspec.targets.adapter import TransformersTarget

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

TINY = "tiny"


def built(context: Context, name: str, vocabulary: int = 0) -> TransformersTarget:
    """The target of the published size ``name``, which is a finding; a tiny one where the run is tiny."""
    started = time.perf_counter()
    context.forget_peak()
    size = TINY if context.tiny else name
    target = random_weights.random_target(size, context.device, context.dtype, "auto", vocabulary)
    context.sync()
    spec = target.kv_spec
    context.emit(
        "built",
        model=name,
        seconds=time.perf_counter() - started,
        decoder_gib=target.decoder_bytes / GIB,
        parameters=sum(weight.numel() for weight in target.model.parameters()),
        kv_bytes_a_token=spec.bytes_per_slot(),
        heads=target.decoder.config.num_attention_heads,
        kv_heads=spec.kv_heads,
        layers=spec.layers,
        **context.memory(),
    )
    return target


def shallow(name: str, layers: int) -> str:
    """Registers the size ``name`` with its widths and so many layers; returns the name that it has then."""
    published = random_weights.PUBLISHED[name]

    def config(vocabulary: int | None) -> PreTrainedConfig:
        made = published.config(vocabulary)
        text = made.get_text_config()
        text.num_hidden_layers = layers
        if getattr(text, "layer_types", None):
            text.layer_types = text.layer_types[:layers]
        for field in ("num_hidden_layers", "depth"):
            if hasattr(made.vision_config, field):
                setattr(made.vision_config, field, layers)
        if getattr(made.vision_config, "deepstack_visual_indexes", None):
            made.vision_config.deepstack_visual_indexes = [0]
        return made

    random_weights.PUBLISHED[f"{name} shallow"] = replace(published, config=config)
    return f"{name} shallow"
