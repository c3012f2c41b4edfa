"""The class that vLLM makes for ``"method": "custom_class"``: docspec's sources, one chain a row and step.

vLLM calls :meth:`Proposer.propose` after each step with the tokens that were sampled. What it answers is verified by
vLLM's own sampler, so that nothing here can change an answer. It runs in the engine's process: what it takes, every
request waits for.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from docspec.engine.acceptance import Outcome
from docspec.engine.request import Request
from docspec.engine.row import Row
from docspec.engine.stopping import NeverStop
from docspec.engine.tree import TokenTree
from docspec.proposing import lookup, ngrams, respelling, resumption, rewrites, syntax  # noqa: F401  (register)
from docspec.proposing.chain import grow_chain
from docspec.proposing.mixture import Mixture
from docspec.proposing.source import make_source
from docspec.targets.protocol import Prompt
from docspec.vllm.request import Said, said_in
from docspec.vllm.runner import attach
from docspec.vllm.step_cost import StepCost

if TYPE_CHECKING:
    import numpy as np

SOURCES = ("ngrams", "respelling", "resumption", "rewrites", "lookup", "syntax")
"""Those of docspec's cursor that need nothing of the model but its tokens."""

CHARGED = 0.25
"""Share of a speculated token's price that decides how long chains are. Chances are estimated with care: charged in
full, 98 of 100 speculated tokens were accepted with 16 requests in flight, and vLLM was 1.66 times as fast as
without drafts, with a quarter 1.93 times (1.03 and 1.29 with 64)."""

PATIENCE = 8
"""Steps that a row is left alone for where proposing took longer than it saved."""

FADE = 0.9
"""What remains of a row's accepted tokens a step, and of the seconds of proposing, with every further one."""


class Tokenizer:
    """vLLM's tokenizer of the served model as docspec's codec."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def tokenize(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def detokenize(self, tokens: list[int]) -> str:
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=False)
        return text


@dataclass(slots=True)
class ActiveRequest:
    """A request while it is decoded, of ``room`` tokens. ``chain`` is being verified; ``accepted`` drafted tokens a
    step were right lately; for ``alone`` steps nothing is proposed."""

    row: Row
    room: int
    chain: TokenTree | None = None
    accepted: float = 1.0
    alone: int = 0


class Proposer:
    """Made with the ``VllmConfig``; :mod:`docspec.vllm.runner` has the runner tell it when a step begins.

    What one request teaches of how right drafts of its kind are helps the others; no token of one is shown to another.
    """

    def __init__(self, vllm_config: Any) -> None:
        attach(Proposer)
        self._most = int(vllm_config.speculative_config.num_speculative_tokens)
        self._longest = int(vllm_config.model_config.max_model_len)
        self._codec = Tokenizer(_tokenizer_of(vllm_config))
        made = {name: make_source(name, None) for name in SOURCES}
        self._mixture = Mixture(made, self._codec, grow=grow_chain)
        self._rows: dict[str, ActiveRequest] = {}
        self._said: dict[str, Future[Said]] = {}
        self._tokenizing = ThreadPoolExecutor(1, "docspec-drafts")
        self._row_seconds = 0.0
        self._step_began, self._tokens = 0.0, 0
        self.cost = StepCost()
        self.runner: Any = None

    def load_model(self, *args: Any, **kwargs: Any) -> None:
        """There is no model to load."""

    def begin_step(self, runner: Any, scheduled: Any) -> None:
        """A step begins: drafts of new requests are tokenised beside it, ended requests are forgotten."""
        self.runner = runner
        for ended in scheduled.finished_req_ids:
            self._forget(ended)
        for new in scheduled.scheduled_new_reqs:
            extra = getattr(new.sampling_params, "extra_args", None)
            self._said[new.req_id] = self._tokenizing.submit(said_in, extra, self._codec.tokenize)
        drafted = sum(map(len, scheduled.scheduled_spec_decode_tokens.values()))
        tokens = scheduled.total_num_scheduled_tokens
        # Steps that also read prompts or images say nothing of what a speculated token costs.
        self._tokens = tokens if tokens == len(scheduled.num_scheduled_tokens) + drafted else 0
        self._step_began = time.perf_counter()

    def propose(
        self,
        sampled_token_ids: Sequence[Sequence[int]],
        num_tokens_no_spec: np.ndarray,
        token_ids_cpu: np.ndarray,
        slot_mappings: Any = None,
    ) -> list[list[int]]:
        """The tokens to be verified next, a list for each row of the batch, of any length up to
        ``num_speculative_tokens``.

        ``sampled_token_ids[i]`` are those that row ``i`` has just written (none: its prompt is still being read);
        ``token_ids_cpu[i, :num_tokens_no_spec[i]]`` all of its tokens, those of the prompt first.
        """
        began = time.perf_counter()
        if self._tokens:
            self.cost.note(self._tokens, began - self._step_began)
        batch = self.runner.input_batch
        answers: list[list[int]] = [[] for _ in sampled_token_ids]
        asked: list[tuple[int, ActiveRequest, int]] = []
        writing = sum(1 for sampled in sampled_token_ids if len(sampled))
        self._mixture.rate.price = CHARGED * self.cost.price(writing)
        for index, sampled in enumerate(sampled_token_ids):
            if not len(sampled):
                continue
            size = int(num_tokens_no_spec[index])
            name = batch.req_ids[index]
            written = token_ids_cpu[index, int(batch.num_prompt_tokens[index]) : size]
            sequence = self._followed(name, written)
            room = min(self._most, self._longest - size - 1, sequence.room - len(sequence.row.output) - 1)
            if room < 1 or self._is_left_alone(sequence, writing):
                sequence.chain = None
                continue
            asked.append((index, sequence, room))
        if asked:
            trees = self._mixture.propose([one.row for _, one, _ in asked], [room + 1 for *_, room in asked])
            for (index, sequence, _), tree in zip(asked, trees, strict=True):
                answers[index] = tree.tokens[1:]
                sequence.chain = tree
            taken = (time.perf_counter() - began) / len(asked)
            self._row_seconds = FADE * self._row_seconds + (1 - FADE) * taken if self._row_seconds else taken
        return answers

    def _followed(self, name: str, written: np.ndarray) -> ActiveRequest:
        """The sequence of a request, with all that it has ``written`` by now."""
        sequence = self._rows.get(name)
        if sequence is not None and len(written) < len(sequence.row.output):
            self._forget(name)  # begun anew under the same name
            sequence = None
        if sequence is None:
            return self._begun(name, written.tolist())
        output = sequence.row.output
        new = written[len(output) :].tolist()
        output += new
        if (chain := sequence.chain) is not None:
            right = 0
            for token, proposed in zip(new, chain.tokens[1:], strict=False):
                if token != proposed:
                    break
                right += 1
            sequence.accepted = FADE * sequence.accepted + (1 - FADE) * right
            self._mixture.accepted(sequence.row, chain, Outcome(tuple(range(1, right + 1)), output[-1]))
        return sequence

    def _begun(self, name: str, output: list[int]) -> ActiveRequest:
        state = self.runner.requests[name]
        waiting = self._said.pop(name, None)
        extra = getattr(state.sampling_params, "extra_args", None)
        said = said_in(extra, self._codec.tokenize) if waiting is None else waiting.result()
        room = getattr(state.sampling_params, "max_tokens", None) or self._longest
        request = Request(Prompt({}, 0), said.drafts, room, kind=said.kind)
        row = Row(request, 0, 0, frozenset(), NeverStop(), output)
        self._mixture.begin(row)
        sequence = self._rows[name] = ActiveRequest(row, room)
        return sequence

    def _is_left_alone(self, sequence: ActiveRequest, writing: int) -> bool:
        """Whether proposing for the row took longer lately than the tokens that were accepted saved."""
        if sequence.alone:
            sequence.alone -= 1
            return True
        if sequence.accepted * self.cost.row_seconds(writing) < self._row_seconds:
            sequence.alone = PATIENCE
            sequence.accepted = max(sequence.accepted, 0.1)
        return False

    def _forget(self, name: str) -> None:
        waiting = self._said.pop(name, None)
        if waiting is not None:
            waiting.cancel()
        sequence = self._rows.pop(name, None)
        if sequence is not None:
            self._mixture.end(sequence.row)


def _tokenizer_of(vllm_config: Any) -> Any:
    from vllm.tokenizers import cached_tokenizer_from_config

    return cached_tokenizer_from_config(vllm_config.model_config)
