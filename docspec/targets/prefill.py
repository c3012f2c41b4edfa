"""Prefills many prompts in few forward passes: prompts of similar length share one, including the vision tower.

A small model's crop costs little arithmetic but many small operations, so sharing a pass pays. Padding costs
arithmetic, so only prompts of similar length share one, and the size of a pass is limited.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docspec.targets.kv_cache import SlotCache
    from docspec.targets.protocol import ImportanceCallback, Prefill, Prompt, TargetModel

MAX_STRETCH = 1.3
"""Longest prompt over shortest prompt in one forward pass; it limits padding."""

MAX_TOKENS = 4096
"""Tokens of prompts that share a forward pass, padding included. It also limits their pixels, because an image token
has a fixed number of them (1,024 in Qwen3-VL, 784 in dots.ocr); it is about one page."""


def prefill_rows(
    target: TargetModel,
    prompts: Sequence[Prompt],
    cache: SlotCache,
    rows: Sequence[int],
    states: bool = False,
    most: int = MAX_TOKENS,
    on_importance: ImportanceCallback | None = None,
) -> list[Prefill]:
    """Prefills prompt ``i`` into row ``rows[i]`` of ``cache``; the results in the given order, with ``states`` if
    wanted.

    Prompts that share a pass have up to ``most`` tokens; ``on_importance`` is called for each. Raises ``ValueError`` if
    a prompt does not fit the cache.
    """
    filled: dict[int, Prefill] = {}
    kinds = [target.alike(prompt) for prompt in prompts]
    for group in groups([prompt.length for prompt in prompts], kinds, most):
        own = [prompts[i] for i in group], cache, [rows[i] for i in group]
        results = target.prefill_together(*own, states, on_importance)
        filled.update(zip(group, results, strict=True))
    return [filled[i] for i in range(len(prompts))]


def groups(lengths: Sequence[int], kinds: Sequence[Hashable] = (), most: int = MAX_TOKENS) -> list[list[int]]:
    """The indices of ``lengths`` in groups that share a forward pass of up to ``most`` tokens, shortest prompts first;
    only prompts of the same one of ``kinds`` share a pass."""
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
