"""Many prompts prefilled in few forward passes: those of similar length share one, vision tower included.

A small model's crop costs little arithmetic and many small operations, so sharing them pays; padding costs
arithmetic, so only prompts of similar length share a pass, and no pass grows beyond a bound.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import ImportanceCallback, Prefill, Prompt, TargetModel

MAX_STRETCH = 1.3
"""Longest over shortest prompt of one forward pass: at most so much of it is padding."""

MAX_TOKENS = 4096
"""Prompt tokens of one forward pass of the decoder, padding included; longer prompts take several
(:mod:`docspec.targets.prefill_pieces`). It bounds the pixels of prompts that share a pass, too: an image token stands
for a fixed number of them (1,024 with Qwen3-VL, 784 with dots.ocr), so this is about what one page takes."""


def prefill_rows(
    target: TargetModel,
    prompts: Sequence[Prompt],
    cache: SlotCache,
    rows: Sequence[int],
    states: bool = False,
    most: int = MAX_TOKENS,
    on_importance: ImportanceCallback | None = None,
) -> list[Prefill]:
    """Prefills prompt ``i`` into row ``rows[i]`` of ``cache``; what each left behind, in the order given, ``states``
    where they are wanted. Prompts that share a pass have up to ``most`` tokens; ``on_importance`` is told of each.

    Raises ``ValueError`` if a prompt does not fit the cache.
    """
    filled: dict[int, Prefill] = {}
    kinds = [target.alike(prompt) for prompt in prompts]
    for group in groups([prompt.length for prompt in prompts], kinds, most):
        own = [prompts[i] for i in group], cache, [rows[i] for i in group]
        results = target.prefill_together(*own, states, on_importance)
        filled.update(zip(group, results, strict=True))
    return [filled[i] for i in range(len(prompts))]


def groups(lengths: Sequence[int], kinds: Sequence[Hashable] = (), most: int = MAX_TOKENS) -> list[list[int]]:
    """Indices of ``lengths`` in groups that share a forward pass of up to ``most`` tokens, shortest prompts first; only
    prompts of one of ``kinds`` do."""
    found: list[list[int]] = []
    open_of: dict[Hashable, list[int]] = {}
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        length, kind = lengths[index], kinds[index] if kinds else None
        group = open_of.get(kind)
        if group is not None and length <= MAX_STRETCH * lengths[group[0]] and length * (len(group) + 1) <= most:
            group.append(index)
        else:
            open_of[kind] = [index]
            found.append(open_of[kind])
    return found
