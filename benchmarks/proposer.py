"""What docspec's proposer takes of a step inside vLLM, by itself: neither vLLM nor a model runs.

Rows follow transcripts, as in :mod:`benchmarks.transcripts`: each request has the drafts of its page, and the tokens
that a model wrote for it earlier are what verification leaves of each chain. Where a request ends another one takes its
row, so that rows are at all stages of their pages. Steps are said to take :data:`STEP_SECONDS` and
:data:`TOKEN_SECONDS` for each token, as on an accelerator: speculated tokens are cheap and chains as long as they get.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle
from statistics import median
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.transcripts import TokenizerFile, Transcript, drafted_tokens, first_page
from docspec.dialects import make_dialect
from docspec.drafting import SafeDrafter
from docspec.generation.vllm import NUM_SPECULATIVE_TOKENS
from docspec.proposing.spelling import Codec
from docspec.vllm.proposer import Proposer
from docspec.vllm.request import DRAFTS

STEP_SECONDS, TOKEN_SECONDS = 1.0, 5e-4
"""What steps are told to take: by themselves, and for each of their tokens."""

WARM_UP = 20
"""Steps that are not counted."""

LONGEST = 1 << 15
"""Tokens of a sequence."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A page's ``drafts`` and ``output``, in tokens."""

    drafts: tuple[tuple[int, ...], ...]
    output: tuple[int, ...]


@dataclass(slots=True)
class ProposerCost:
    """``seconds`` of processor time of each step over all ``rows``, and what became of what was proposed."""

    rows: int
    seconds: list[float] = field(default_factory=list)
    begun: int = 0
    written: int = 0
    proposed: int = 0

    @property
    def row_milliseconds(self) -> float:
        """A row's share of a step: the median over steps."""
        return 1e3 * median(self.seconds) / self.rows

    @property
    def slowest_milliseconds(self) -> float:
        """The same of the step that 95 of 100 are no slower than."""
        return 1e3 * sorted(self.seconds)[int(0.95 * (len(self.seconds) - 1))] / self.rows

    @property
    def tokens_per_step(self) -> float:
        return self.written / (len(self.seconds) * self.rows)


class _Rows:
    """vLLM's persistent batch and requests, as far as a proposer looks at them."""

    def __init__(self, pages: Sequence[Followed], rows: int) -> None:
        self._pages = cycle(pages)
        self._next = 0
        self.token_ids = np.zeros((rows, LONGEST), dtype=np.int32)
        self.sizes = np.zeros(rows, dtype=np.int32)
        self.outputs: list[tuple[int, ...]] = [()] * rows
        self.requests: dict[str, Any] = {}
        self.input_batch = SimpleNamespace(req_ids=[""] * rows, num_prompt_tokens=np.zeros(rows, dtype=np.int32))

    def enter(self, row: int) -> Any:
        """Another request takes ``row``; what the scheduler says of it."""
        page, self._next = next(self._pages), self._next + 1
        name = f"request {self._next}"
        params = SimpleNamespace(extra_args={DRAFTS: page.drafts}, max_tokens=LONGEST)
        self.requests[name] = new = SimpleNamespace(req_id=name, sampling_params=params)
        self.input_batch.req_ids[row] = name
        self.outputs[row], self.sizes[row] = page.output, 0
        return new

    def write(self, row: int, proposed: Sequence[int]) -> list[int]:
        """What verification leaves of ``proposed``, and the token after it."""
        output, size = self.outputs[row], int(self.sizes[row])
        right = 0
        while right < len(proposed) and size + right < len(output) - 1 and proposed[right] == output[size + right]:
            right += 1
        sampled = output[size : size + right + 1]
        self.token_ids[row, size : size + len(sampled)] = sampled
        self.sizes[row] = size + len(sampled)
        return list(sampled)

    def has_ended(self, row: int) -> bool:
        return int(self.sizes[row]) >= len(self.outputs[row])


def followed(transcript: Transcript, drafter: SafeDrafter, codec: TokenizerFile, dpi: float = 200.0) -> Followed:
    """The drafts of the first page of the document of ``transcript`` and what was written for it, in tokens."""
    dialect = make_dialect(transcript.dialect)
    with first_page(transcript, dpi) as page:
        drafts = drafted_tokens(dialect, drafter.draft(page), page, codec)
    return Followed(tuple(drafts), (*codec.tokenize(transcript.text), codec.end))


def measure(pages: Sequence[Followed], codec: Codec, rows: int, steps: int) -> ProposerCost:
    """``steps`` steps of ``rows`` rows that follow ``pages``, one after the other and from the first again."""
    config = SimpleNamespace(
        speculative_config=SimpleNamespace(num_speculative_tokens=NUM_SPECULATIVE_TOKENS),
        model_config=SimpleNamespace(max_model_len=LONGEST, get_vocab_size=lambda: 1 << 31),
    )
    proposer = Proposer(config, codec)
    for drafted in range(0, rows * NUM_SPECULATIVE_TOKENS, rows):
        proposer.chains.cost.note(rows, drafted, STEP_SECONDS + TOKEN_SECONDS * (rows + drafted))
    batch, cost = _Rows(pages, rows), ProposerCost(rows)
    fresh = [batch.enter(row) for row in range(rows)]
    answers: list[list[int]] = [[] for _ in range(rows)]
    ended: list[str] = []
    for step in range(WARM_UP + steps):
        scheduled = SimpleNamespace(
            finished_req_ids=ended,
            scheduled_new_reqs=fresh,
            scheduled_spec_decode_tokens={},
            num_scheduled_tokens={},  # nothing is learnt of what steps take here
            total_num_scheduled_tokens=0,
        )
        quiet = step < WARM_UP
        began = time.thread_time()
        proposer.begin_step(batch, scheduled)
        seconds = time.thread_time() - began
        proposer.wait()
        sampled = [batch.write(row, answers[row]) for row in range(rows)]
        began = time.thread_time()
        answers = proposer.propose(sampled, batch.sizes, batch.token_ids)
        seconds += time.thread_time() - began
        ended, gone = [], [row for row in range(rows) if batch.has_ended(row)]
        fresh = []
        for row in gone:
            ended.append(batch.input_batch.req_ids[row])
            del batch.requests[ended[-1]]
            fresh.append(batch.enter(row))
            answers[row] = []
        if not quiet:
            cost.seconds.append(seconds)
            cost.begun += len(fresh)
            cost.written += sum(map(len, sampled))
            cost.proposed += sum(map(len, answers))
    return cost
