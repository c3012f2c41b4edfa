"""llama-cpp-python's low-level interface, checked before it is used.

Its functions are llama.cpp's own, called through ``ctypes`` with structs that are declared twice, in C and in Python.
If the two versions differ, a struct's fields are read from wrong places without an error; so the defaults that the
library fills in are checked first.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from docspec.core import ModelError

TRIED = ("0.3.36",)
"""The tested versions of llama-cpp-python; others are tried, too."""

HOW = "pip install 'docspec-vlm[llama]'"

ERROR = 4
"""``GGML_LOG_LEVEL_ERROR``."""


class Library(NamedTuple):
    """``llama`` and ``mtmd`` are the modules with llama.cpp's functions; ``remark`` warns of an untested version."""

    llama: Any
    mtmd: Any
    version: str
    remark: str = ""


def load_library() -> Library:
    """Loads the library. Raises :class:`docspec.core.ModelError` if it is missing or does not fit."""
    try:
        import llama_cpp
        from llama_cpp import llama_cpp as llama
        from llama_cpp import mtmd_cpp as mtmd
    except Exception as error:
        raise ModelError(f"llama-cpp-python cannot be loaded ({error}); install it: {HOW}") from error
    version = str(llama_cpp.__version__)
    wrong = misfits(llama, mtmd)
    if wrong:
        raise ModelError(
            f"llama-cpp-python {version} does not fit its library ({wrong}); docspec was run with {', '.join(TRIED)}"
        )
    _say_errors_only(llama, mtmd)
    llama.llama_backend_init()
    remark = "" if version in TRIED else f"docspec was run with llama-cpp-python {', '.join(TRIED)}; this is {version}"
    return Library(llama, mtmd, version, remark)


def misfits(llama: Any, mtmd: Any) -> str:
    """The first setting whose default is not that of llama.cpp's header; empty if there is none."""
    try:
        model, context = llama.llama_model_default_params(), llama.llama_context_default_params()
        pictures = mtmd.mtmd_context_params_default()
        expected = (
            (model, "n_gpu_layers", -1),
            (model, "vocab_only", False),
            (context, "n_batch", 2048),
            (context, "n_ubatch", 512),
            (context, "n_seq_max", 1),
            (context, "flash_attn_type", -1),
            (context, "type_k", 1),
            (context, "type_v", 1),
            (context, "embeddings", False),
            (context, "kv_unified", False),
            (pictures, "image_min_tokens", -1),
            (pictures, "image_max_tokens", -1),
            (pictures, "flash_attn_type", -1),
        )
        for struct, name, value in expected:
            if (actual := getattr(struct, name)) != value:
                return f"{type(struct).__name__}.{name} is {actual}"
        for module, name in ((mtmd, "mtmd_tokenize_from_parts"), (mtmd, "mtmd_batch_encode"), (llama, "llama_decode")):
            getattr(module, name)
    except AttributeError as error:
        return str(error)
    return ""


def _say_errors_only(llama: Any, mtmd: Any) -> None:
    """Sends the library's errors to standard error, where the parent finds the last one, and drops other messages."""

    def say(level: int, text: bytes, data: Any) -> None:
        if level == ERROR:
            import sys

            sys.stderr.write(text.decode("utf-8", "replace"))
            sys.stderr.flush()

    callback = llama.llama_log_callback(say)
    for set_log in (llama.llama_log_set, mtmd.mtmd_log_set, mtmd.mtmd_helper_log_set):
        set_log(callback, ctypes.c_void_p(0))
    llama.docspec_keeps_callback = callback
