"""The lengths of chains for which vLLM captures graphs under Model Runner V2.

vLLM captures a graph of decoding for each number of speculated tokens in its schedule by batch size
(``num_speculative_tokens_per_batch_size``), which users may set. Without one it captures the full length alone, and
steps without drafts would lose their graph: docspec's own schedule has both.
"""

from __future__ import annotations

from typing import Any

Schedule = list[tuple[int, int, int]]
"""Ranges of batch sizes, both ends included, each with a number of speculated tokens."""


def own_schedule(vllm_config: Any) -> Schedule:
    """The full length and none. The batch sizes mean nothing: docspec's scheduler chooses by what is drafted."""
    most = int(vllm_config.scheduler_config.max_num_seqs)
    full = (1, max(most - 1, 1), int(vllm_config.speculative_config.num_speculative_tokens))
    return [full, (most, most, 0)] if most > 1 else [full]


def is_own_schedule(vllm_config: Any) -> bool:
    """Whether vLLM's schedule is docspec's, and not a user's."""
    given = vllm_config.speculative_config.num_speculative_tokens_per_batch_size
    return given is not None and list(map(tuple, given)) == own_schedule(vllm_config)
