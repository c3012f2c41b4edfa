"""llama.cpp with docspec's drafts as a model behind the gateway, which says what ``llama-server`` says.

Clients that would start ``llama-server`` ask its ``/props`` and ``/slots``, send no name of a model or any, and ask for
log-probabilities and JSON schemas.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from docspec.core import ModelError, PageError
from docspec.generation.answer_text import AnswerText
from docspec.generation.interface import Conversation, Generation, GenerationRequest
from docspec.generation.llama.model_files import ModelFiles, find_files
from docspec.generation.llama.opening import gguf_of, open_llama
from docspec.generation.llama.settings import Facts
from docspec.generation.processes import EngineProcesses
from docspec.serve.own.asking import ChatRequest, decoded
from docspec.serve.own.model import ModelAnswer, Tell
from docspec.serve.refusal import Refusal


class LlamaModel:
    """A GGUF file, loaded, as a :class:`docspec.serve.own.model.ChatModel`. Raises
    :class:`docspec.core.ModelError`."""

    is_llama = takes_any_name = True

    def __init__(
        self, model: str, mmproj: str | None, python: str | None, slots: int, tell: Callable[[str], None]
    ) -> None:
        files = find_files(gguf_of(model), None if mmproj is None else Path(mmproj))
        self._files, self._slots = files, slots
        self._generator = open_llama(files, python=None if python is None else Path(python), slots=slots, tell=tell)
        self._facts: Facts = self._generator.opened[0].facts
        self._slot = self._facts.slot
        self.name = files.name
        self.told: Mapping[str, Callable[[int], Any]] = {"/props": self._props, "/slots": self._all_slots}

    def listed(self, running: int) -> Any:
        about = {
            "id": self.name,
            "object": "model",
            "created": int(time.time()),
            "owned_by": "docspec",
            "meta": _meta(self._files, self._slot),
        }
        return {"object": "list", "data": [about]}

    def begin(self, ask: ChatRequest, tell: Tell) -> LlamaAnswer:
        return LlamaAnswer(self._generator, self._files, ask, tell)

    def _props(self, running: int) -> Any:
        return {
            "default_generation_settings": {"params": {"temperature": 0.0, "top_k": 1}, "n_ctx": self._slot},
            "total_slots": self._slots,
            "model_alias": self.name,
            "model_ftype": self._files.precision,
            "model_path": self._files.model.path.name,
            "modalities": {"vision": self._files.tower is not None, "video": False, "audio": False},
            "endpoint_slots": True,
            "endpoint_props": False,
            "endpoint_metrics": True,
            "chat_template": self._facts.template,
            "bos_token": self._facts.bos,
            "eos_token": self._facts.eos,
            "build_info": self._generator.name,
            "is_sleeping": False,
        }

    def _all_slots(self, running: int) -> Any:
        return [
            {"id": number, "n_ctx": self._slot, "speculative": True, "is_processing": number < running}
            for number in range(self._slots)
        ]


class LlamaAnswer(ModelAnswer):
    """An answer of llama.cpp."""

    def __init__(self, generator: EngineProcesses, files: ModelFiles, ask: ChatRequest, tell: Tell) -> None:
        super().__init__(ask, tell)
        self._pieces: list[str] = []
        self._writing = AnswerText("".join, ask.stops)
        self._follow(generator.submit(request_of(ask, files), self._grown if ask.streams else None))

    def _grown(self, piece: str) -> None:
        self._pieces.append(piece)
        self._tell(self._writing.grown(self._pieces) if self.ask.stops else piece)

    def _ended(self, future: Future[Generation]) -> None:
        if future.cancelled():
            return
        if (error := future.exception()) is not None:
            known = isinstance(error, PageError | ModelError)
            status = 400 if isinstance(error, PageError) else 503 if known else 500
            self._tell(Refusal(status, str(error) if known else "the engine failed"))
            return
        result = future.result()
        counts = result.counts
        self.text = self._writing.whole([result.text])
        self.finish = result.finish
        self.tokens, self.prompt_tokens = counts.tokens, counts.prompt_tokens or 0
        self.drafted, self.accepted = counts.drafted or 0, counts.accepted or 0
        self.logprobs = {"content": _scores(result)} if self.ask.scored else None
        self.more = {"timings": _timings(result)}
        if self.ask.streams and self.ask.stops and (rest := self._writing.rest(self._pieces)):
            self._tell(rest)
        self._tell(None)


def request_of(ask: ChatRequest, files: ModelFiles) -> GenerationRequest:
    """The engine's request for ``ask``. Raises :class:`docspec.serve.refusal.Refusal` (400)."""
    if len(ask.images) > 1:
        raise Refusal(400, "messages: llama.cpp in docspec takes one image in a request")
    if ask.images and files.tower is None:
        raise Refusal(400, "image_url: the model has no picture tower (--mmproj)")
    given = ask.penalties
    chat = Conversation(
        tuple(ask.messages),
        ask.stops,
        given.repetition,
        given.presence,
        given.frequency,
        given.last,
        given.no_repeat_ngram,
        ask.scored,
        ask.schema,
    )
    return GenerationRequest(
        decoded(ask.images[0]) if ask.images else None,
        "",
        ask.max_tokens or 2**31,
        ask.drafts,
        ask.kind or "text",
        ask.keeps_special_tokens,
        ask.template_arguments,
        chat=chat,
    )


def _meta(files: ModelFiles, slot: int) -> dict[str, Any]:
    head = files.model
    sizes = {"n_ctx_train": head.number("context_length"), "n_embd": head.number("embedding_length")}
    return {"n_ctx": slot, **sizes, "size": head.size, "ftype": files.precision}


def _scores(result: Generation) -> list[dict[str, Any]]:
    """What OpenAI's ``logprobs`` say of each token; of its rivals nothing."""
    scored = zip(result.token_ids or (), result.scores, strict=True)
    told = [
        {"id": token, "token": text.decode("utf-8", "ignore"), "bytes": list(text), "logprob": score}
        for token, (text, score) in scored
    ]
    return [{**one, "top_logprobs": [one]} for one in told]


def _timings(result: Generation) -> dict[str, Any]:
    """The times of an answer under ``llama-server``'s names, in milliseconds."""
    counts = result.counts
    prompt, written = counts.prompt_tokens or 0, counts.tokens
    read, wrote = 1e3 * (counts.prefill_seconds or 0.0), 1e3 * (counts.decode_seconds or 0.0)
    found: dict[str, Any] = {"cache_n": 0}
    for name, number, took in (("prompt", prompt, read), ("predicted", written, wrote)):
        found |= {f"{name}_n": number, f"{name}_ms": took}
        found |= {f"{name}_per_token_ms": took / max(1, number), f"{name}_per_second": 1e3 * number / max(took, 1e-3)}
    if counts.drafted:
        found |= {"draft_n": counts.drafted, "draft_n_accepted": counts.accepted}
    return found
