"""Which model fits on which card: the estimate that docspec makes before loading, for published sizes and no weights.

Each model is laid out without storage, and what a loader reads first is written: the configuration, and a safetensors
header that names every weight. The estimate is then the one of a real checkpoint (:mod:`docspec.targets.estimate`).
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks.published_sizes import SIZES
from benchmarks.random_weights import PUBLISHED, PublishedConfig, published_size
from docspec.targets.estimate import PROMPT, estimate
from docspec.targets.families import families

CARDS = (8, 12, 16, 24, 48, 80)
"""Gigabytes of memory that cards are sold with; docspec's GiB are counted against 93 % of them."""

FREE = 0.93

LIBRARIES = 1.5 * 2**30
"""Bytes for CUDA, its libraries and kernels' workspaces, beside what the estimate counts."""

OTHERS = {
    "qwen3-vl-2b": "Qwen/Qwen3-VL-2B-Instruct",
    "qwen3-vl-4b": "Qwen/Qwen3-VL-4B-Instruct",
    "qwen3-vl-8b": "Qwen/Qwen3-VL-8B-Instruct",
    "dots.ocr": "rednote-hilab/dots.ocr",
}
"""Hub names of those in :data:`benchmarks.random_weights.PUBLISHED`."""


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes of ``model`` in bfloat16 for one page: its weights, the keys and values of the longest page that its card
    allows, and a prompt read in one piece."""

    model: str
    weights: int
    keys_values: int
    prompt: int

    @property
    def total(self) -> float:
        """All of them, and :data:`LIBRARIES`."""
        return self.weights + self.keys_values + self.prompt + LIBRARIES

    @property
    def card(self) -> int | None:
        """The smallest of :data:`CARDS` that has room; ``None`` if none has."""
        return next((card for card in CARDS if self.total <= FREE * card * 10**9), None)


def needs() -> Iterator[Need]:
    """What each model of published size needs."""
    for name, published in OTHERS.items():
        yield need(published, PUBLISHED[name])
    for size in SIZES.values():
        yield need(size.published, published_size(size))


def need(name: str, published: PublishedConfig) -> Need:
    """What the model called ``name`` on the hub needs, laid out as ``published`` says."""
    config = published.config(None)
    with torch.device("meta"):
        outline = published.model._from_config(config, dtype=torch.bfloat16)
    card = families()[config.model_type].card_of(name)
    with tempfile.TemporaryDirectory() as folder:
        config.save_pretrained(folder)
        header = {
            weight: {"dtype": "BF16", "shape": list(values.shape), "data_offsets": [0, 0]}
            for weight, values in outline.named_parameters()
        }
        text = json.dumps(header).encode()
        (Path(folder) / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text)
        found = estimate(folder, "bfloat16", PROMPT + card.max_new_tokens)
    return Need(name, found.weights, found.keys_values, PROMPT * found.prompt_token)


def markdown(found: list[Need]) -> str:
    """The models by the smallest card, as a table."""
    rows = ["| card | models that fit, with the GiB that they need |", "|---|---|"]
    for card in (*CARDS, None):
        fitting = sorted((one for one in found if one.card == card), key=lambda one: one.total)
        names = ", ".join(f"{one.model.split('/')[-1]} {one.total / 2**30:.1f}" for one in fitting)
        if names:
            rows.append(f"| {'larger' if card is None else f'{card} GB'} | {names} |")
    return "\n".join(rows)
