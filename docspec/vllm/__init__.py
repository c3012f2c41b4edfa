"""Drafts inside vLLM: a proposer that vLLM loads by name; vLLM verifies the drafts.

    vllm serve MODEL --speculative-config \\
        '{"method": "custom_class", "model": "docspec.vllm.Proposer", "num_speculative_tokens": 47}'

Drafts belong to a request: ``vllm_xargs: {"docspec_drafts": ["text", ...], "docspec_kind": "text"}`` in the body of
a chat completion, ``SamplingParams.extra_args`` offline.

Read in this order: ``request`` (the drafts of a request), ``runner`` (the plug-in), then for vLLM's first model runner
``proposer`` (proposals for a batch, by :mod:`docspec.proposing.chains`), for its second ``cursor`` (the same decisions
in tensors), ``speculator``, ``scheduler`` with ``lengths``, and ``second_runner``, their link to vLLM.
``serve`` takes the names of its fields from ``request``; nothing here imports vLLM before vLLM has loaded it.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Proposer"]


def __getattr__(name: str) -> Any:
    if name == "Proposer":
        from docspec.vllm.proposer import Proposer

        return Proposer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
