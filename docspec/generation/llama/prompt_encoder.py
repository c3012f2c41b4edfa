"""Turns requests into prompt pieces: renders the model's chat template, tokenizes texts and encodes images."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from docspec.core import ModelError, PageError
from docspec.generation.llama.chat import Framed, frame
from docspec.generation.llama.loaded import LoadedModel
from docspec.generation.llama.settings import ChildRequest, LlamaSettings

TEXT, IMAGE = 0, 1


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

    def pieces(self, ask: ChildRequest) -> list[PromptPiece]:
        """The prompt of a request. Raises :class:`docspec.core.PageError` if llama.cpp cannot read it."""
        arguments = tuple(ask.request.template_arguments.items())
        framed = self._framed(ask.request.prompt, ask.pixels is not None, arguments)
        if self._tower is None:
            if ask.pixels is not None:
                raise PageError("the model has no picture tower; name its file with --mmproj")
            return [self._text(framed)]
        mtmd = self._mtmd
        chunks, bitmap = mtmd.mtmd_input_chunks_init(), None
        try:
            if ask.pixels is not None:
                data = ctypes.cast(ctypes.c_char_p(ask.pixels), ctypes.POINTER(ctypes.c_uint8))
                bitmap = mtmd.mtmd_bitmap_init(*ask.size, data)
            parts = _parts(mtmd, framed, bitmap)
            status = mtmd.mtmd_tokenize_from_parts(self._tower, chunks, parts, len(parts), framed.add_bos)
            if status:
                raise PageError(f"llama.cpp cannot read a picture of {ask.size[0]} x {ask.size[1]} pixels ({status})")
            pieces: list[PromptPiece] = []
            for index in range(mtmd.mtmd_input_chunks_size(chunks)):
                start = sum(piece.advance for piece in pieces)
                pieces.append(self._piece(mtmd.mtmd_input_chunks_get(chunks, index), start))
            return pieces
        finally:
            mtmd.mtmd_input_chunks_free(chunks)
            if bitmap:
                mtmd.mtmd_bitmap_free(bitmap)

    def _text(self, framed: Framed) -> PromptPiece:
        """The whole prompt of a model without a tower."""
        llama, data = self._model.library.llama, framed.before.encode()
        tokens = (llama.llama_token * (len(data) + 8))()
        vocab = self._model.vocab
        count = llama.llama_tokenize(vocab, data, len(data), tokens, len(tokens), framed.add_bos, True)
        return PromptPiece(count, tuple(tokens[:count]))

    def _piece(self, chunk: Any, start: int) -> PromptPiece:
        mtmd = self._mtmd
        kind, advance = mtmd.mtmd_input_chunk_get_type(chunk), int(mtmd.mtmd_input_chunk_get_n_pos(chunk))
        size = int(mtmd.mtmd_input_chunk_get_n_tokens(chunk))
        if kind == TEXT:
            count = ctypes.c_size_t()
            tokens = mtmd.mtmd_input_chunk_get_tokens_text(chunk, ctypes.byref(count))
            return PromptPiece(advance, tuple(tokens[: count.value]))
        if kind != IMAGE:
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
