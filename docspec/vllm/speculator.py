"""The speculator for vLLM's Model Runner V2: drafts uploaded once a request, the cursor on the device, no wait.

vLLM makes one speculator a worker and calls :meth:`DraftSpeculator.propose` after each step with tensors of tokens that
the host does not know yet. What is verified, and what not, is decided by :mod:`docspec.vllm.scheduler`.

Run on a CPU with Triton's interpreter (``tests/vllm/test_second_runner.py``). **Never run on a GPU.**
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import torch
from vllm.utils.torch_utils import async_tensor_h2d
from vllm.v1.worker.gpu.spec_decode.speculator import BaseSpeculator

from docspec.proposing.drafts import END
from docspec.proposing.spelling import Codec
from docspec.vllm.cursor import MATCHED, NO_TOKEN, Cursors, advance, begin, proposals, text_of
from docspec.vllm.request import drafts_in

MOST_PLACES = 16_384
"""Most tokens of a request's drafts on the device."""

STEP = 256
"""The drafts of a step's rows are read up to a multiple of this many tokens."""


class DraftSpeculator(BaseSpeculator):  # type: ignore[misc]
    """``req_states`` are vLLM's buffers of tokens; ``codec`` is the served model's tokenizer."""

    supports_mm_inputs = False
    draft_logits = None

    def __init__(self, vllm_config: Any, device: torch.device, req_states: Any, codec: Codec) -> None:
        rows = int(vllm_config.scheduler_config.max_num_seqs)
        self._length = int(vllm_config.speculative_config.num_speculative_tokens)
        self._device = device
        self._states = req_states
        self._vocabulary = int(vllm_config.model_config.get_vocab_size())
        self._codec = codec
        places = min(MOST_PLACES, 2 * int(vllm_config.model_config.max_model_len))
        self._texts = torch.full((rows, places), END, dtype=torch.int32, device=device)
        self._cursors = begin(rows, device)
        self._proposed = torch.zeros((rows, self._length), dtype=torch.int64, device=device)
        self._tokenizing = ThreadPoolExecutor(1, "docspec-drafts")
        self._waiting: dict[str, Future[list[int]]] = {}
        self._places: dict[str, int] = {}
        """Of each request with drafts on the device the tokens of its drafts."""

    def init_cudagraph_manager(self, cudagraph_mode: Any) -> None:
        """There is no model to capture."""

    def capture(self) -> None:
        """There is no model to capture."""

    def begin_step(self, runner: Any, scheduled: Any) -> None:
        """Called when a step begins: drafts of new requests are tokenised beside it, ended requests are forgotten."""
        for ended in {*scheduled.finished_req_ids, *(scheduled.preempted_req_ids or ())}:
            self._forget(ended)
        for new in scheduled.scheduled_new_reqs:
            self._forget(new.req_id)
            extra = getattr(new.sampling_params, "extra_args", None)
            if extra:
                self._waiting[new.req_id] = self._tokenizing.submit(self._text, extra)

    @torch.inference_mode()
    def propose(
        self,
        input_batch: Any,
        attn_metadata: Any,
        slot_mappings: Any,
        last_hidden_states: torch.Tensor,
        aux_hidden_states: list[torch.Tensor] | None,
        num_sampled: torch.Tensor,
        num_rejected: torch.Tensor,
        last_sampled: torch.Tensor,
        next_prefill_tokens: torch.Tensor,
        temperature: torch.Tensor,
        seeds: torch.Tensor,
        dp_sync_state: Any = None,
        dummy_run: bool = False,
        skip_attn_for_dummy_run: bool = False,
        mm_inputs: tuple[list[torch.Tensor], torch.Tensor] | None = None,
        is_profile: bool = False,
        num_speculative_tokens: int | None = None,
    ) -> torch.Tensor:
        """The tokens to verify next ``(rows, num_speculative_tokens)``. Where nothing is drafted stands the last
        token, so that a place that vLLM verifies all the same holds a token of the vocabulary."""
        proposed = self._proposed[: input_batch.num_reqs]
        if dummy_run:
            return proposed
        if num_speculative_tokens != 0:
            proposed.copy_(last_sampled.view(-1, 1)[input_batch.idx_mapping])
        drafted = [row for row, name in enumerate(input_batch.req_ids) if self._has_drafts(name)]
        if drafted:
            rows = async_tensor_h2d(drafted, device=self._device, dtype=torch.int64)
            slots = input_batch.idx_mapping[rows]
            places = max(self._places[input_batch.req_ids[row]] for row in drafted)
            texts = self._texts[slots, : -(-places // STEP) * STEP]
            moved = advance(
                texts, Cursors(*(part[slots] for part in self._cursors)), self._tail(slots), num_sampled[rows]
            )
            for part, now in zip(self._cursors, moved, strict=True):
                part[slots] = now
            proposed[rows] = proposals(texts, moved.aim, self._length, last_sampled.view(-1)[slots])
        return proposed

    def _tail(self, slots: torch.Tensor) -> torch.Tensor:
        """The last tokens ``(rows, width)`` of each output."""
        width = max(self._length + 1, MATCHED)
        size, prompt = self._states.total_len.gpu[slots].long(), self._states.prompt_len.gpu[slots].long()
        at = size.unsqueeze(1) - width + torch.arange(width, device=self._device)
        tokens = self._states.all_token_ids.gpu[slots.unsqueeze(1), at.clamp(min=0)]
        return torch.where(at >= prompt.unsqueeze(1), tokens, NO_TOKEN)

    def _has_drafts(self, name: str) -> bool:
        """Whether a request has drafts; those of a new one are uploaded, once they are tokenised."""
        waiting = self._waiting.pop(name, None)
        if waiting is not None:
            text = waiting.result()
            if len(text) > 1:
                slot = self._states.req_id_to_index[name]
                self._texts[slot] = END
                self._texts[slot, : len(text)] = async_tensor_h2d(text, device=self._device, dtype=torch.int32)
                for part in self._cursors:
                    part[slot] = 0
                self._places[name] = len(text)
        return name in self._places

    def _text(self, extra_args: Any) -> list[int]:
        said = drafts_in(extra_args, self._codec.tokenize, self._vocabulary)
        return text_of(said.drafts, self._texts.shape[1])

    def _forget(self, name: str) -> None:
        self._places.pop(name, None)
        waiting = self._waiting.pop(name, None)
        if waiting is not None:
            waiting.cancel()
