"""What a head is taught from: pages as the target itself wrote them, with its last hidden states at every place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from docspec.targets.protocol import PER_TOKEN, Prompt
from docspec_methods.head_tree import text_positions

if TYPE_CHECKING:
    from docspec.targets.protocol import TargetModel


@dataclass(frozen=True, slots=True)
class Lesson:
    """One row: hidden states ``(positions, size)`` of all its text, ``tokens`` ``(positions,)`` after each of them,
    from ``first`` on the output's, and the embeddings ``(tokens, size)`` of its image."""

    hidden: torch.Tensor
    tokens: torch.Tensor
    image: torch.Tensor
    first: int


def states_of(target: TargetModel, prompt: Prompt, output: Sequence[int]) -> Lesson:
    """The states of ``prompt`` with the ``output`` that the target wrote behind it, in one pass."""
    whole = Prompt(_extended(prompt.inputs, output), prompt.length + len(output))
    [prefill] = target.prefill([whole], target.kv.cache(1, whole.length + 1), [0], True)
    states = prefill.states
    assert states is not None
    with torch.inference_mode():
        ids = whole.inputs["input_ids"][0].to(states.hidden.device)
        text = text_positions(ids, states, target)
    hidden, positions = states.hidden.clone(), text.clone()  # outside, so that weights can be taught with them
    first = int(positions.sum()) - len(output) - 1
    return Lesson(hidden[positions][:-1], ids[positions][1:], states.embeddings.clone()[~positions], first)


def _extended(inputs: dict[str, Any], output: Sequence[int]) -> dict[str, Any]:
    more = torch.tensor([list(output)])
    filled = {"input_ids": more, "mm_token_type_ids": torch.zeros_like(more), "attention_mask": torch.ones_like(more)}
    return {
        name: torch.cat((value, filled[name].to(value.dtype)), 1) if name in PER_TOKEN else value
        for name, value in inputs.items()
    }
