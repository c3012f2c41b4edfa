"""Turns requests into prompt pieces: renders the chat template that a GGUF file brings around a prompt and its picture,
tokenizes texts and encodes images."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from docspec.core import ModelError, PageError
from docspec.generation.interface import GenerationRequest
from docspec.generation.llama.loaded import LoadedModel
from docspec.generation.llama.settings import LlamaSettings
from docspec.targets.chat_template import IMAGE, rendered

TEXT_CHUNK, IMAGE_CHUNK = 0, 1

PLACE = "\x02image\x02"
"""Stands for the image in the text of a chat."""

BEFORE, AFTER = "\x02before\x02", "\x02after\x02"
"""Placeholders for the texts beside the image while its place is searched; no template writes them."""


@dataclass(frozen=True, slots=True)
class Framed:
    """The texts before and after the image. ``add_bos``: the tokenizer has to put its own first token before them."""

    before: str
    after: str
    add_bos: bool


def frame(template: str, prompt: str, image: bool, bos: str = "", arguments: Mapping[str, Any] | None = None) -> Framed:
    """Renders ``prompt`` as a user's message with the beginning of an answer; ``bos`` is the text of the tokenizer's
    first token, and ``arguments`` are passed to the template.

    The template's marks for an image, found by rendering it without one, are dropped, because llama.cpp writes its own;
    white space on both sides is kept. If a template takes a message as one text (dots.ocr's), the image stands where
    the prompt has it. Raises :class:`docspec.core.ModelError` if the template fails, does not end, or writes nothing
    for an image.
    """
    before, _, after = prompt.rpartition(IMAGE)
    texts = [{"type": "text", "text": BEFORE}, {"type": "text", "text": AFTER}]
    try:
        shown = _rendered(template, [texts[0], {"type": "image"}, texts[1]] if image else texts, bos, arguments)
        takes_parts = "'type'" not in shown  # a list of parts as Python prints it
    except ModelError as error:
        if error.__cause__ is None:  # the template refused the image or did not end
            raise
        takes_parts = False
    if not takes_parts:
        first, told, last = _rendered(template, BEFORE, bos, arguments).partition(BEFORE)
        if not told:
            raise ModelError("the chat template of the model leaves the prompt out; take the published template")
        first, last = first + before, after + last
    elif image:
        first, last = _around_picture(shown, _rendered(template, texts, bos, arguments))
    else:
        first, last = shown, ""
    first, last = (part.replace(BEFORE, before).replace(AFTER, after) for part in (first, last))
    add_bos = not (bos and first.startswith(bos))
    return Framed(first, last, add_bos) if image else Framed(first + last, "", add_bos)


def frame_chat(
    template: str, messages: Sequence[Mapping[str, Any]], bos: str = "", arguments: Mapping[str, Any] | None = None
) -> Framed:
    """Renders a whole conversation as ``llama-server`` does: each message is one text, its parts joined by line feeds
    but for the place of the image, where llama.cpp writes its own marks. Raises :class:`docspec.core.ModelError` if the
    template fails or leaves the last message out."""
    texts = [{"role": each["role"], "content": _joined(each["content"])} for each in messages]
    shown, wanted = "", texts[-1]["content"].strip()
    for as_part in (False, True):  # some templates take parts alone
        told = (
            [{**each, "content": [{"type": "text", "text": each["content"]}]} for each in texts] if as_part else texts
        )
        try:
            shown = _shown(template, told, bos, arguments)
        except ModelError as error:
            if error.__cause__ is None or as_part:
                raise
        if wanted in shown:
            before, _, after = shown.partition(PLACE)
            return Framed(before, after, not (bos and shown.startswith(bos)))
    raise ModelError("the chat template of the model leaves the prompt out; take the published template")


def _joined(parts: Sequence[Mapping[str, str]]) -> str:
    text, after_image = "", False
    for part in parts:
        is_image = part["type"] == "image"
        text += ("" if is_image or after_image or not text else "\n") + (PLACE if is_image else part["text"])
        after_image = is_image
    return text


def _around_picture(shown: str, without: str) -> tuple[str, str]:
    """The template's text before and after the image, found by comparing it with that ``without`` one."""
    start, end = _difference(shown, without)
    mark = shown[start:end]
    if not mark.strip():
        raise ModelError("the chat template of the model shows no picture; take the published template")
    start += len(mark) - len(mark.lstrip())
    end -= len(mark) - len(mark.rstrip())
    return shown[:start], shown[end:]


def _difference(longer: str, shorter: str) -> tuple[int, int]:
    """Start and end of the part of ``longer`` that ``shorter`` lacks."""
    start = 0
    while start < len(shorter) and longer[start] == shorter[start]:
        start += 1
    most = len(shorter) - start
    end = 0
    while end < most and longer[-1 - end] == shorter[-1 - end]:
        end += 1
    return start, len(longer) - end


def _rendered(template: str, content: str | list[dict[str, str]], bos: str, arguments: Mapping[str, Any] | None) -> str:
    return _shown(template, [{"role": "user", "content": content}], bos, arguments)


def _shown(template: str, messages: list[dict[str, Any]], bos: str, arguments: Mapping[str, Any] | None) -> str:
    return rendered(
        lambda: _compiled(template).render(
            **(arguments or {}), messages=messages, add_generation_prompt=True, bos_token=bos, eos_token=""
        ),
        "the chat template of the model",
    )


@lru_cache(maxsize=4)
def _compiled(template: str) -> Any:
    """The program of a template: compiling it takes as long as a few steps of a small model."""
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def refuse(message: str) -> None:
        raise ModelError(f"the chat template of the model refuses the prompt: {message}")

    # As transformers sets its environment up (``utils/chat_template_utils.py``).
    environment: Any = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.globals["raise_exception"] = refuse
    return environment.from_string(template)


@dataclass(frozen=True, slots=True, eq=False)
class PromptPiece:
    """A part of a prompt: ``tokens`` of text, or ``embeddings`` ``(n, size)`` of an image at ``positions``
    ``(axes, n)``. The next piece begins ``advance`` positions later."""

    advance: int
    tokens: tuple[int, ...] = ()
    embeddings: np.ndarray | None = None
    positions: np.ndarray | None = None

    @property
    def size(self) -> int:
        return len(self.tokens) if self.embeddings is None else len(self.embeddings)


class PromptEncoder:
    """Makes the prompt pieces of requests, in one thread. Without a tower it accepts text only."""

    def __init__(self, model: LoadedModel, settings: LlamaSettings) -> None:
        self._model = model
        self._mtmd = mtmd = model.library.mtmd
        template = model.template or settings.template
        if template is None:
            raise ModelError(f"{settings.model} brings no chat template")
        self._template = template
        self._framed = lru_cache(maxsize=64)(
            lambda prompt, image, arguments: frame(template, prompt, image, model.bos, dict(arguments))
        )
        self._tower = None
        if settings.mmproj is None:
            return
        params = mtmd.mtmd_context_params_default()
        params.print_timings = params.warmup = False
        params.n_threads = settings.threads
        params.flash_attn_type = 0
        if settings.image_tokens is not None:
            params.image_min_tokens, params.image_max_tokens = settings.image_tokens
        self._tower = mtmd.mtmd_init_from_file(settings.mmproj.encode(), model.model, params)
        if not self._tower:
            raise ModelError(f"{settings.mmproj} is no picture tower for {settings.model}")
        if mtmd.mtmd_decode_use_non_causal(self._tower, None):
            raise ModelError(f"{settings.model}: pictures that are read in both directions were never tried")
        self._axes = 4 if mtmd.mtmd_decode_use_mrope(self._tower) else 1
        self._width = int(model.library.llama.llama_model_n_embd_inp(model.model))

    def pieces(self, request: GenerationRequest) -> list[PromptPiece]:
        """The prompt of a request, whose image is :class:`docspec.generation.worker.Pixels`. Raises
        :class:`docspec.core.PageError` if llama.cpp cannot read it."""
        picture: Any = request.image
        framed = self._frame(request)
        if self._tower is None:
            if picture is not None:
                raise PageError("the model has no picture tower; name its file with --mmproj")
            tokens = self._model.tokenize(framed.before, framed.add_bos, special_tokens=True)
            return [PromptPiece(len(tokens), tuple(tokens))]
        mtmd = self._mtmd
        chunks, bitmap = mtmd.mtmd_input_chunks_init(), None
        try:
            if picture is not None:
                data = ctypes.cast(ctypes.c_char_p(picture.data), ctypes.POINTER(ctypes.c_uint8))
                bitmap = mtmd.mtmd_bitmap_init(*picture.size, data)
            parts = _parts(mtmd, framed, bitmap)
            status = mtmd.mtmd_tokenize_from_parts(self._tower, chunks, parts, len(parts), framed.add_bos)
            if status:
                raise PageError(
                    f"llama.cpp cannot read a picture of {picture.size[0]} x {picture.size[1]} pixels ({status})"
                )
            pieces: list[PromptPiece] = []
            for index in range(mtmd.mtmd_input_chunks_size(chunks)):
                start = sum(piece.advance for piece in pieces)
                pieces.append(self._piece(mtmd.mtmd_input_chunks_get(chunks, index), start))
            return pieces
        finally:
            mtmd.mtmd_input_chunks_free(chunks)
            if bitmap:
                mtmd.mtmd_bitmap_free(bitmap)

    def _frame(self, request: GenerationRequest) -> Framed:
        if request.chat is None:
            return self._framed(request.prompt, request.image is not None, tuple(request.template_arguments.items()))
        try:
            return frame_chat(self._template, request.chat.messages, self._model.bos, request.template_arguments)
        except ModelError as error:  # of what a client sends
            raise PageError(str(error)) from error

    def _piece(self, chunk: Any, start: int) -> PromptPiece:
        mtmd = self._mtmd
        kind, advance = mtmd.mtmd_input_chunk_get_type(chunk), int(mtmd.mtmd_input_chunk_get_n_pos(chunk))
        size = int(mtmd.mtmd_input_chunk_get_n_tokens(chunk))
        if kind == TEXT_CHUNK:
            count = ctypes.c_size_t()
            tokens = mtmd.mtmd_input_chunk_get_tokens_text(chunk, ctypes.byref(count))
            return PromptPiece(advance, tuple(tokens[: count.value]))
        if kind != IMAGE_CHUNK:
            raise PageError("llama.cpp made something of the picture that is neither text nor picture")
        if mtmd.mtmd_encode_chunk(self._tower, chunk):
            raise PageError("llama.cpp cannot encode the picture")
        found = mtmd.mtmd_get_output_embd(self._tower)
        flat = np.ctypeslib.as_array(found, (size * self._width,))
        return PromptPiece(advance, (), flat.reshape(size, self._width).copy(), self._positions(chunk, size, start))

    def _positions(self, chunk: Any, size: int, start: int) -> np.ndarray:
        """Positions ``(axes, size)`` of an image's tokens, from ``start`` on; the axes are those of a ``llama_batch``:
        time, row, column, and one that some families use."""
        if self._axes == 1:
            return np.arange(start, start + size, dtype=np.int32)[None]
        mtmd = self._mtmd
        found = (mtmd.mtmd_decoder_pos * size)()
        mtmd.mtmd_helper_image_get_decoder_pos(mtmd.mtmd_input_chunk_get_tokens_image(chunk), start, found)
        placed = np.frombuffer(found, np.uint32).reshape(size, 4).T.astype(np.int32)
        return placed[[0, 2, 1, 3]]


def _parts(mtmd: Any, framed: Framed, bitmap: Any) -> Any:
    """A framed prompt as an array of mtmd's parts; ``ctypes`` keeps what it points to."""
    parts = []
    for text in (framed.before, None, framed.after) if bitmap else (framed.before,):
        if text == "":
            continue
        part = mtmd.mtmd_input_part()
        if text is None:
            part.bitmap = bitmap
        else:
            data = text.encode()
            part.text = ctypes.pointer(mtmd.mtmd_input_text(data, len(data), framed.add_bos, True))
        parts.append(ctypes.pointer(part))
    return (ctypes.POINTER(mtmd.mtmd_input_part) * len(parts))(*parts)
