"""docspec's drafts before a head that the model brings: what no draft covers, the head proposes.

vLLM loads it as an extension of its worker, beside a head that proposes after the host knows what was sampled:

    --worker-extension-cls docspec.vllm.head.BeforeHead
    --speculative-config '{"method": "mtp", "num_speculative_tokens": 47, "disable_padded_drafter_batch": true}'
    --additional-config '{"docspec_head_tokens": 3}'

Under Model Runner V1 alone. The head runs in every step, for so many tokens, so that its keys and values have no gap;
docspec's chain takes the place of its guess where it is at least as long. Tested on vLLM for processors with random
weights (``tests/vllm/test_head.py``). **Never run on a GPU, nor with a published head.**
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from vllm.v1.worker.gpu_model_runner import GPUModelRunner

from docspec.vllm.connection import tell, tokenizer_of
from docspec.vllm.proposer import Proposer

HEAD_TOKENS = "docspec_head_tokens"
ATTRIBUTE = "docspec_before_head"


class BeforeHead:
    """vLLM adds it to its worker's bases; importing this module is what counts."""


def chosen(chains: list[list[int]], guesses: list[list[int]]) -> list[list[int]]:
    """Of each row docspec's chain where it is at least as long as the head's guess, and the guess elsewhere."""
    return [chain if len(chain) >= len(guess) else guess for chain, guess in zip(chains, guesses, strict=True)]


def _proposer(runner: Any) -> Proposer | None:
    """docspec's proposer for a ``runner`` whose head proposes from what the host knows; ``None`` for any other."""
    how = runner.speculative_config
    if how is None or HEAD_TOKENS not in runner.vllm_config.additional_config:
        return None
    if not (how.use_eagle() and how.disable_padded_drafter_batch):
        raise ValueError(f"{HEAD_TOKENS} needs a model's own head and 'disable_padded_drafter_batch': true")
    return Proposer(runner.vllm_config, tokenizer_of(runner.vllm_config))


def connect() -> None:
    """Has V1's runners ask both, in this process."""
    head_alone = GPUModelRunner.propose_draft_token_ids

    def proposed(self: Any, scheduled: Any, sampled: Any, *args: Any, **kwargs: Any) -> Any:
        proposer = getattr(self, ATTRIBUTE)
        if proposer is None:
            return head_alone(self, scheduled, sampled, *args, **kwargs)
        most = scheduled.num_spec_tokens_to_schedule
        scheduled.num_spec_tokens_to_schedule = min(most, int(self.vllm_config.additional_config[HEAD_TOKENS]))
        try:
            guesses = head_alone(self, scheduled, sampled, *args, **kwargs).tolist()
        finally:
            scheduled.num_spec_tokens_to_schedule = most
        batch = self.input_batch
        chains = proposer.propose(sampled, batch.num_tokens_no_spec, batch.token_ids_cpu)
        return chosen(chains, [guess if tokens else [] for guess, tokens in zip(guesses, sampled, strict=True)])

    made = cached_property(_proposer)
    made.__set_name__(GPUModelRunner, ATTRIBUTE)
    setattr(GPUModelRunner, ATTRIBUTE, made)
    GPUModelRunner.propose_draft_token_ids = proposed
    tell(GPUModelRunner, ATTRIBUTE, Proposer)


connect()
