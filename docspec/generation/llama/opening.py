"""Opens a GGUF file as an engine: checks it, estimates its memory, then starts the child."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from docspec.core import ModelError
from docspec.core.container import processors
from docspec.generation.llama.model_files import ModelFiles, fitting, settings_for
from docspec.generation.llama.serving import LlamaEngine
from docspec.generation.llama.settings import Facts, LlamaSettings
from docspec.generation.member import EnginePlace
from docspec.generation.processes import EngineProcesses
from docspec.targets.estimate import free_ram
from docspec.targets.registry import locate

ROWS, FEW_ROWS = 16, 8
"""Requests in a decoder's batch, and those of a small model: every token scans the whole KV memory, also the parts of
other requests, which costs a small model as much as its weights."""

ANSWER = 8192
"""Estimated tokens of an answer if neither the user nor the model's card bounds them."""

NUM_DRAFT_TOKENS = 32
"""The most drafted tokens that are verified for a request in one step."""

SMALL, DECODERS = 128 << 20, 4
"""Bytes of weights up to which each core has a decoder of its own, and the most decoders: sharing small matrices
between threads costs more in waiting than it saves, many times more on a busy machine."""


def open_llama(
    files: ModelFiles,
    *,
    answer: int | None = None,
    python: Path | None = None,
    decoders: int | None = None,
    rows: int | None = None,
    slots: int | None = None,
    drafts: bool = True,
    strict: bool = False,
    flash: bool = False,
    exact_kv: bool | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> EngineProcesses:
    """The model in ``files``, loaded.

    ``answer`` is the most tokens of an answer (``None``: those of the model's card). ``python`` is one that has
    llama-cpp-python (``None``: this one). ``decoders`` run in parallel, each with up to ``rows`` requests in its batch
    (``None``: by the model's size). ``flash``: with flash attention; ``exact_kv``: keys and values in float32, else in
    16 bits (``None``: as the weights are). With ``slots`` there is memory for the longest prompts and answers of so
    many requests at once, else for one. ``tell`` receives remarks. Raises :class:`docspec.core.ModelError`.
    """
    files.check_rules()
    wanted = answer if answer is not None or files.family is None else files.card.max_new_tokens
    small = files.weights <= SMALL
    decoders = decoders or (min(processors(), DECODERS) if small else 1)
    rows = rows or (-(-slots // decoders) if slots else FEW_ROWS if small else ROWS)
    several = rows if slots else 1
    cells, remark = files.cells(wanted or ANSWER, free_ram(), decoders, several)
    settings = settings_for(
        files,
        cells,
        1 if small else processors(),
        decoders=decoders,
        rows=rows,
        slot=cells // several,
        num_draft_tokens=NUM_DRAFT_TOKENS if drafts else 0,
        strict=strict,
        flash=flash,
        exact_kv=files.model.is_float32 if exact_kv is None else exact_kv,
    )
    generator = start_llama(settings, files, python)
    facts: Facts = generator.opened[0].facts
    for line in filter(None, (remark, facts.remark)):
        tell(line)
    if strict:
        tell(f"strict: choices closer than {facts.noise:.2g} to the next are made again")
    return generator


def start_llama(settings: LlamaSettings, files: ModelFiles, python: Path | None) -> EngineProcesses:
    """A child with llama.cpp, loaded with ``settings``; arguments as for :func:`open_llama`."""
    place = EnginePlace("llama.cpp", partial(LlamaEngine, settings), python, quiet=True)
    return EngineProcesses([place], fitting(files))


def gguf_of(model: str) -> Path:
    """The GGUF file that ``--model`` names: a file, or the only one in a folder or a fetched repository. Raises
    :class:`docspec.core.ModelError` if there is none."""
    path = Path(model).expanduser()
    if not path.exists() and model.count("/") == 1:
        path = Path(locate(model, offline=True))
    inside = [one for one in sorted(path.glob("*.gguf")) if "mmproj" not in one.name.lower()]
    files = inside if path.is_dir() else [path]
    if len(files) != 1 or files[0].suffix != ".gguf" or not files[0].is_file():
        several = f"; {path} has several" if len(files) > 1 else ""
        raise ModelError(
            f"--engine llama reads GGUF files, and {model} is none that is here{several}; docs/llama.md says how"
        )
    return files[0]
