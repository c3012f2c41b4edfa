"""Decoding with proposers by name."""

from __future__ import annotations

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder

PATIENCE = 60.0
"""Seconds to wait for another thread."""


def decoded(target, name, prompts, drafts=(), max_rows=None, *, tokens, fewer=4, stages="both"):
    """What ``name`` writes for ``prompts``, ``tokens`` for the first, ``fewer`` for each after it; and the counts."""
    engine = make_decoder(target, ParseOptions(align=name, stages=stages))
    requests = [Request(prompt, drafts, tokens - fewer * n) for n, prompt in enumerate(prompts)]
    found, stats = engine.speculate(requests, max_rows=max_rows)
    return [output.tokens for output in found], stats
