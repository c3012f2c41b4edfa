"""A scripted model for vLLM: every step runs the whole network, and the logits then follow a transcript by position.

With random weights of a published size times are real and, with real drafts, so is what is accepted. vLLM loads it by

    --worker-extension-cls benchmarks.device.vllm_scripted.Scripted
    --additional-config '{"docspec_scripts": "FILE.json", "docspec_head_right": 0.8}'

FILE holds the transcripts' tokens, a list of lists. A request names its own by ``vllm_xargs: {"docspec_script": 3}``;
one that names none is answered by the random weights. A head for multi-token prediction proposes the transcript's
tokens, too, and a wrong one in place of each that ``docspec_head_right`` does not cover: its share is assumed, its time
is real. Runs under V1 and, without such a head, under V2. **Never run on a GPU.**
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from types import MethodType
from typing import Any

import torch
from vllm.v1.worker.gpu_model_runner import GPUModelRunner

from benchmarks.device.vllm_scripted_names import FIELD, HEAD_RIGHT, SCRIPTS

LIFT = 30_000.0
"""Added to the logit of a transcript's token: more than random weights make, less than half precision overflows at."""


class Scripted:
    """vLLM adds it to its worker's bases; importing this module is what counts."""


class Script:
    """The transcripts on the device, and which token each row of the next logits is to have."""

    def __init__(self, config: dict[str, Any], device: torch.device) -> None:
        texts: list[list[int]] = json.loads(Path(config[SCRIPTS]).read_text(encoding="utf-8"))
        longest = max(map(len, texts))
        padded = [[*text, *[text[-1]] * (longest - len(text))] for text in texts]
        self._tokens = torch.tensor(padded, dtype=torch.int64, device=device)
        self._right = float(config.get(HEAD_RIGHT, 0.8))
        self._device = device
        self._rows: tuple[torch.Tensor, torch.Tensor] | None = None
        self._head: tuple[torch.Tensor, torch.Tensor] | None = None
        self._names: list[str] = []
        self._told = torch.empty(0)

    def upload(self, values: Any) -> torch.Tensor:
        """Integers to the device, without waiting for it."""
        held = torch.tensor(values, dtype=torch.int64, pin_memory=self._device.type == "cuda")
        return held.to(self._device, non_blocking=True)

    def of_batch(self, runner: Any) -> torch.Tensor:
        """V1: the transcript (-1: none) and the length of the prompt ``(2, rows)`` of each row of the batch."""
        batch = runner.input_batch
        names = batch.req_ids
        if names != self._names:
            of = [script_of(runner.requests[name].sampling_params) for name in names]
            self._told = self.upload([of, batch.num_prompt_tokens[: len(names)].tolist()])
            self._names = list(names)
        return self._told

    def next_logits(self, script: torch.Tensor, at: torch.Tensor) -> None:
        """Row ``i`` of the next logits follows transcript ``script[i]`` at its token ``at[i]``; both may be negative:
        then it follows none."""
        self._rows = script, at

    def next_proposals(self, script: torch.Tensor, at: torch.Tensor) -> None:
        """The same for the head, whose next calls are for a token further each."""
        self._head = script, at

    def lifted(self, logits: torch.Tensor | None) -> torch.Tensor | None:
        """The ``logits`` ``(rows, vocabulary)`` of the model, the transcript's tokens highest. Those that nobody told
        of (vLLM's trials of its sampler) stay as they are."""
        rows, self._rows = self._rows, None
        return logits if rows is None or logits is None else self._lifted(logits, *rows, right=1.0)

    def lifted_by_head(self, logits: torch.Tensor | None) -> torch.Tensor | None:
        """The same for the logits of the head."""
        if self._head is None or logits is None:
            return logits
        script, at = self._head
        self._head = script, at + 1
        return self._lifted(logits, script, at, self._right)

    def _lifted(self, logits: torch.Tensor, script: torch.Tensor, at: torch.Tensor, right: float) -> torch.Tensor:
        if len(script) != len(logits):
            raise RuntimeError(f"{len(logits)} rows of logits, told of {len(script)}")
        token = self._tokens[script.clamp(min=0), at.clamp(0, self._tokens.shape[1] - 1)]
        if right < 1.0:
            drawn = ((at * 2_654_435_761 + script * 40_503) >> 7) % 1024  # the same for a place in every run
            token = torch.where(drawn < right * 1024, token, (token + 1) % logits.shape[1])
        lift = ((script >= 0) & (at >= 0)).to(logits.dtype) * LIFT
        return logits.scatter_add_(1, token.unsqueeze(1), lift.unsqueeze(1))


def script_of(params: Any) -> int:
    """The number of the transcript that a request names; -1 for none."""
    extra = getattr(params, "extra_args", None) or {}
    return int(extra.get(FIELD, -1))


def follow(runner: Any) -> Script | None:
    """The script of a ``runner``, whose model (and head) follows it from the first time on; ``None`` where vLLM's
    configuration names no transcripts."""
    config = runner.vllm_config.additional_config
    if SCRIPTS not in config:
        return None
    if not hasattr(runner, "docspec_script"):
        script = runner.docspec_script = Script(config, runner.device)
        _replace(runner.get_model(), script.lifted)
        head = getattr(getattr(runner, "drafter", None), "model", None)
        if isinstance(head, torch.nn.Module):
            _replace(head, script.lifted_by_head)
            _tell_of_proposals(runner, script)
    made: Script = runner.docspec_script
    return made


def _replace(model: Any, lifted: Any) -> None:
    plain = model.compute_logits

    def compute_logits(self: Any, *args: Any, **kwargs: Any) -> Any:
        return lifted(plain(*args, **kwargs))

    model.compute_logits = MethodType(compute_logits, model)


def _tell_of_proposals(runner: Any, script: Script) -> None:
    propose = runner.drafter.propose

    def told(*args: Any, **kwargs: Any) -> Any:
        of, prompts = script.of_batch(runner)
        indices = kwargs.get("token_indices_to_sample")
        if indices is None:  # asked once the host knows what was sampled
            first = script.upload(runner.input_batch.num_tokens_no_spec[: len(of)].tolist())
        else:
            first = runner.positions[indices] + 2
        script.next_proposals(of, first - prompts)
        return propose(*args, **kwargs)

    runner.drafter.propose = told


def connect_first() -> None:
    """V1: each row of logits stands for a token of the step, whose row and position the runner knows on the device."""
    prepare = GPUModelRunner._prepare_inputs

    def prepared(self: Any, *args: Any, **kwargs: Any) -> Any:
        answer = prepare(self, *args, **kwargs)
        script = follow(self)
        if script is not None:
            of, prompts = script.of_batch(self)
            indices = answer[0].long()
            rows = self.req_indices.gpu[indices]
            script.next_logits(of[rows], self.positions[indices] + 1 - prompts[rows])
        return answer

    GPUModelRunner._prepare_inputs = prepared


def connect_second() -> None:
    """V2: a request has the same place in all of the runner's tables for as long as it lives."""
    from vllm.v1.worker.gpu.model_runner import GPUModelRunner as SecondRunner

    prepare = SecondRunner.prepare_inputs

    def prepared(self: Any, scheduler_output: Any, *args: Any, **kwargs: Any) -> Any:
        batch = prepare(self, scheduler_output, *args, **kwargs)
        script = follow(self)
        if script is not None:
            states = self.req_states
            if not hasattr(self, "docspec_scripts"):
                self.docspec_scripts = torch.full_like(states.prompt_len.gpu, -1, dtype=torch.int64)
            for new in scheduler_output.scheduled_new_reqs:
                self.docspec_scripts[states.req_id_to_index[new.req_id]] = script_of(new.sampling_params)
            places = batch.expanded_idx_mapping.long()
            at = batch.positions[batch.logits_indices] + 1 - states.prompt_len.gpu[places]
            script.next_logits(self.docspec_scripts[places], at.long())
        return batch

    SecondRunner.prepare_inputs = prepared


connect_first()
with contextlib.suppress(ImportError):  # a vLLM, or a machine, without it
    connect_second()
