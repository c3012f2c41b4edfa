"""Checks on the model itself whether it can be verified by trees, for types that no family describes.

A few tokens are run twice: as the trees of one step through decoder and head, and path by path through the whole class.
Logits that are scaled after the head, a mask that is ignored or different positions give different logits.

The noise of logits is measured, too: the same token after the same tokens gets slightly different logits in a tree than
alone, because kernels add in another order. A choice between two tokens can change only if their logits are closer than
that.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import torch

from docspec.core import ModelError, ParseOptions
from docspec.targets.families import families
from docspec.targets.family import Family
from docspec.targets.kv_cache import SlotCache
from docspec.targets.model_profile import ModelProfile
from docspec.targets.threads import decoding_threads, threads_for, using_threads
from docspec.targets.validation import read_object

if TYPE_CHECKING:
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.protocol import TargetModel


TOKENS = 64
WIDTHS = (64, 16, 8, 3)
RIVALS = 8
"""The likeliest tokens of each position whose distances from the first are compared."""

SAFETY = 2.0
"""Factor on the measured noise, which is the largest over a few hundred positions of meaningless text."""


@torch.inference_mode()
def shape_noise(target: TargetModel) -> float:
    """The margin (in logits) below which a choice in a tree may differ from the choice in a one-token step.

    It is at least the resolution of the number format.
    """
    with decoding_threads(target):
        vocab = _logits(target, torch.zeros(1, dtype=torch.long), 1).shape[-1]
        tokens = torch.randint(vocab, (TOKENS,), generator=torch.Generator().manual_seed(0))
        alone = _logits(target, tokens, 1)
        values, rivals = alone.topk(min(RIVALS, vocab), -1)
        most = torch.finfo(target.kv_spec.dtype).eps * float(values.abs().max())
        for width in WIDTHS:
            with using_threads(threads_for(target, width)):
                moved = (_logits(target, tokens, width) - alone).gather(-1, rivals)
            most = max(most, float((moved - moved[:, :1]).abs().max()))
    return SAFETY * most


def _logits(target: TargetModel, tokens: torch.Tensor, width: int) -> torch.Tensor:
    """Logits ``(tokens, vocab)`` in float32 of ``tokens`` run ``width`` at a time."""
    device = target.kv_spec.device
    cache = SlotCache(target.kv_spec, rows=1, slots=len(tokens))
    found = []
    for indices in torch.arange(len(tokens)).split(width):
        cache.begin_step(indices.unsqueeze(0).to(device), len(tokens))
        mask = (torch.arange(len(tokens)) <= indices.unsqueeze(1)).unsqueeze(0)
        found.append(
            target.logits(
                target.hidden(
                    tokens[indices].unsqueeze(0).to(device), indices.unsqueeze(0).to(device), mask.to(device), cache
                )
            )[0].float()
        )
    return torch.cat(found)


PARENTS = (0, 0, 1, 0, 3, 3)
"""A tree of two branches, one of which branches again."""

TOLERANCE = {torch.float32: 1e-3, torch.float16: 2e-2, torch.bfloat16: 8e-2}
"""Largest difference of two logits relative to the largest logit."""


def unknown_family(name: str, model_type: str, path: str, options: ParseOptions) -> Family:
    """The family of a model of an unknown type: transformers' own class and processor, and the user's dialect and
    prompt.

    Raises :class:`docspec.core.ModelError` if transformers has no class or the user gives no dialect and prompt.
    """
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as CLASSES

    card = Path(path) / "docspec.json"
    said = read_object(card) if card.is_file() else {}
    known = ", ".join(sorted(families()))
    if model_type not in CLASSES:
        raise ModelError(f"{name}: models of type '{model_type}' are not supported; supported are {known}")
    prompt = options.prompt or said.get("prompt")
    if not prompt or not (options.dialect or said.get("dialect")):
        raise ModelError(
            f"{name}: models of type '{model_type}' are not known (known are {known}); "
            "say with --set dialect=NAME and --set prompt=TEXT how it writes and is asked, and it is tried"
        )
    return Family((model_type,), CLASSES[model_type], ModelProfile("markdown", crop_prompt=prompt))


@torch.inference_mode()
def check_trees(target: TransformersTarget) -> None:
    """Raises :class:`docspec.core.ModelError` if trees give other logits than the model's own forward pass."""
    spec, vocabulary = target.kv_spec, target.model.get_input_embeddings().num_embeddings
    tokens = torch.arange(7, 7 + 11 * len(PARENTS), 11, device=spec.device) % vocabulary
    paths: list[tuple[int, ...]] = [(0,)]
    for node, parent in enumerate(PARENTS[1:], start=1):
        paths.append((*paths[parent], node))
    mask = torch.zeros((1, len(paths), len(paths)), dtype=torch.bool, device=spec.device)
    for node, path in enumerate(paths):
        mask[0, node, list(path)] = True
    depths = torch.tensor([[len(path) - 1 for path in paths]], device=spec.device)
    cache = SlotCache(spec, 1, len(paths))
    cache.begin_step(torch.arange(len(paths), device=spec.device).unsqueeze(0), len(paths))
    found = target.logits(target.hidden(tokens.unsqueeze(0), depths, mask, cache))[0].float()
    for node, path in enumerate(paths):
        own = target.model(input_ids=tokens[list(path)].unsqueeze(0), use_cache=False).logits[0, -1].float()
        apart = float((found[node] - own).abs().max() / own.abs().max().clamp_min(1e-9))
        if not apart <= TOLERANCE.get(spec.dtype, 0.0):
            raise ModelError(
                f"{type(target.model).__name__} cannot be verified by trees: its logits differ by {apart:.2g} from "
                "those of its own forward pass; it needs a family of its own (CONTRIBUTING.md)"
            )
