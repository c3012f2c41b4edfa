"""The class that vLLM makes for ``"method": "custom_class"`` under Model Runner V1: docspec's
proposers, one chain a row and step.

vLLM calls :meth:`Proposer.propose` after each step with the sampled tokens. vLLM's own sampler verifies the proposals,
so that nothing here can change an answer. The proposer runs in the engine's process: every request waits for it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from docspec.proposing.chains import Chained, Chains
from docspec.proposing.drafts import DraftText
from docspec.proposing.spelling import Codec
from docspec.vllm.connection import tokenizer_of
from docspec.vllm.request import RequestDrafts, drafts_in
from docspec.vllm.runner import attach

if TYPE_CHECKING:
    import numpy as np


Ready = tuple[RequestDrafts, DraftText]
"""A request's drafts and kind, and its drafts with the places of their n-grams."""


class Proposer:
    """Made with the ``VllmConfig``, and a ``codec`` where vLLM's own tokenizer is not to be used (measurements without
    vLLM); :mod:`docspec.vllm.runner` has the runner tell it when a step begins."""

    def __init__(self, vllm_config: Any, codec: Codec | None = None) -> None:
        if codec is None:
            attach(Proposer)
            codec = tokenizer_of(vllm_config)
        self._most = int(vllm_config.speculative_config.num_speculative_tokens)
        self._longest = int(vllm_config.model_config.max_model_len)
        self._vocabulary = int(vllm_config.model_config.get_vocab_size())
        self._codec = codec
        self.chains = Chains(codec)
        self._rows: dict[str, Chained] = {}
        self._ready: dict[str, Future[Ready]] = {}
        self._tokenizing = ThreadPoolExecutor(1, "docspec-drafts")
        self._last_step: tuple[int, int] | None = None
        self._step_began = self._proposing = 0.0
        self.runner: Any = None

    def load_model(self, *args: Any, **kwargs: Any) -> None:
        """There is no model to load."""

    def begin_step(self, runner: Any, scheduled: Any) -> None:
        """Called when a step begins: drafts of new requests are tokenised beside it, ended requests are forgotten."""
        self.runner = runner
        for ended in scheduled.finished_req_ids:
            self._forget(ended)
        for new in scheduled.scheduled_new_reqs:
            extra = getattr(new.sampling_params, "extra_args", None)
            self._ready[new.req_id] = self._tokenizing.submit(self._made_ready, extra)
        self._note_step(scheduled)

    def _note_step(self, scheduled: Any) -> None:
        """Notes the time of the last step, with all that vLLM does beside the model, without the time of proposing.

        Steps that also read prompts or images do not show the cost of a speculated token, nor do steps without a row
        of the last one: vLLM may have waited for a request.
        """
        now = time.perf_counter()
        rows, new = len(scheduled.num_scheduled_tokens), len(scheduled.scheduled_new_reqs)
        if self._last_step is not None and rows > new:
            self.chains.cost.note(*self._last_step, now - self._step_began - self._proposing)
        drafted = sum(map(len, scheduled.scheduled_spec_decode_tokens.values()))
        writes_only = scheduled.total_num_scheduled_tokens == rows + drafted
        self._last_step = (rows, drafted) if rows and writes_only and not new else None
        self._step_began, self._proposing = now, 0.0

    def wait(self) -> None:
        """Waits until the drafts of all known requests are ready."""
        for ready in self._ready.values():
            ready.result()

    def propose(
        self,
        sampled_token_ids: Sequence[Sequence[int]],
        num_tokens_no_spec: np.ndarray,
        token_ids_cpu: np.ndarray,
        slot_mappings: Any = None,
    ) -> list[list[int]]:
        """The tokens to be verified next, a list for each row of the batch, of any length up to
        ``num_speculative_tokens``.

        ``sampled_token_ids[i]`` are the new tokens of row ``i`` (none: its prompt is still being read);
        ``token_ids_cpu[i, :num_tokens_no_spec[i]]`` are all of its tokens, those of the prompt first.
        """
        began = time.perf_counter()
        batch = self.runner.input_batch
        answers: list[list[int]] = [[] for _ in sampled_token_ids]
        asked: list[tuple[Chained, int]] = []
        rows: list[int] = []
        for index, sampled in enumerate(sampled_token_ids):
            if not len(sampled):
                continue
            size = int(num_tokens_no_spec[index])
            written = token_ids_cpu[index, int(batch.num_prompt_tokens[index]) : size]
            asked.append((self._followed(batch.req_ids[index], written), min(self._most, self._longest - size - 1)))
            rows.append(index)
        for index, chain in zip(rows, self.chains.propose(asked, len(asked), began), strict=True):
            answers[index] = chain
        self._proposing = time.perf_counter() - began
        return answers

    def _followed(self, name: str, written: np.ndarray) -> Chained:
        """The sequence of a request, with all tokens ``written`` so far."""
        sequence = self._rows.get(name)
        if sequence is not None and len(written) < len(sequence.row.output):
            self._forget(name)  # begun anew under the same name
            sequence = None
        if sequence is None:
            return self._begun(name, written.tolist())
        self.chains.written(sequence, written[len(sequence.row.output) :].tolist())
        return sequence

    def _begun(self, name: str, output: list[int]) -> Chained:
        state = self.runner.requests[name]
        waiting = self._ready.pop(name, None)
        extra = getattr(state.sampling_params, "extra_args", None)
        said, drafts = self._made_ready(extra) if waiting is None else waiting.result()
        room = getattr(state.sampling_params, "max_tokens", None) or self._longest
        sequence = self._rows[name] = self.chains.begin(said.drafts, said.kind, room, output, drafts)
        return sequence

    def _made_ready(self, extra_args: Any) -> Ready:
        said = drafts_in(extra_args, self._codec.tokenize, self._vocabulary)
        return said, DraftText(said.drafts)

    def _forget(self, name: str) -> None:
        waiting = self._ready.pop(name, None)
        if waiting is not None:
            waiting.cancel()
        sequence = self._rows.pop(name, None)
        if sequence is not None:
            self.chains.end(sequence)
