"""Opens the engine that the options name; an engine is imported only when it is opened."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from docspec.core import DocspecError, ModelError, ParseOptions, UsageError
from docspec.core.plugins import load, plugins
from docspec.generation.interface import Generator

if TYPE_CHECKING:
    from docspec.generation.server import ServerGenerator
    from docspec.targets.remote_model import RemoteModel

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class OpenedEngine:
    """A loaded engine. ``names`` identify its model (its served name, the place that it was loaded from);
    ``max_length`` are the most tokens of prompt and answer together (``None``: unknown). ``profile`` has the model's
    prompts and dialect if the engine knows them."""

    generator: Generator
    names: tuple[str, ...]
    max_length: int | None
    profile: RemoteModel | None = None

    def report(self) -> dict[str, Any]:
        """The engine's name and counts as plain values. Seconds are measured here, so they include waiting in a
        server's queue."""
        from docspec.generation.server import ServerGenerator

        servers = self.generator.report() if isinstance(self.generator, ServerGenerator) else ()
        return {"name": self.generator.name, "seconds": "wall", "servers": list(map(asdict, servers))}


def open_engine(options: ParseOptions, tell: Tell) -> OpenedEngine:
    """Opens the engine of ``options.reads_with``; ``tell`` receives a line about each slow step. Raises
    :class:`docspec.core.ModelError`."""
    if options.reads_with == "server":
        from docspec.generation.server import ServerGenerator

        asked = options.server, options.served_model, options.server_key
        return _served(ServerGenerator(*asked, options.page_timeout, options.max_wait, tell))
    if options.reads_with == "vllm":
        from docspec.generation.vllm import VllmGenerator

        return _served(VllmGenerator(_vllm_settings(options), options.page_timeout, tell))
    if options.reads_with == "llama":
        return open_llama_engine(options, tell)
    if options.reads_with in plugins("engines"):
        try:
            generator = load("engines", options.reads_with)(options, tell)
        except DocspecError:
            raise
        except Exception as error:
            raise ModelError(f"--engine {options.reads_with}: {type(error).__name__}: {error}") from error
        return OpenedEngine(generator, (options.model,), getattr(generator, "max_length", None))
    raise UsageError(f"--engine {options.reads_with} is no engine outside of this process")


def _served(generator: ServerGenerator) -> OpenedEngine:
    try:
        model = generator.model
    except BaseException:
        generator.close()
        raise
    return OpenedEngine(generator, (model.name, model.root), model.max_length)


def open_llama_engine(options: ParseOptions, tell: Tell, **more: bool) -> OpenedEngine:
    """Opens llama.cpp with the file of ``options``; ``more`` are further arguments of
    :func:`docspec.generation.llama.opening.open_llama`."""
    from docspec.generation.llama.model_files import find_files
    from docspec.generation.llama.opening import gguf_of, open_llama

    files = find_files(gguf_of(options.model), options.mmproj)
    profile = files.profile(options)
    generator = open_llama(
        files,
        answer=options.max_tokens,
        python=options.engine_python,
        strict=options.exact == "strict",
        tell=tell,
        **more,
    )
    names = (files.name, str(files.model.path))
    return OpenedEngine(generator, names, generator.max_length, profile)


def _vllm_settings(options: ParseOptions) -> Any:
    from docspec.core.choices import BUNDLED_MODELS
    from docspec.generation.vllm import VllmSettings, arguments_in
    from docspec.targets.registry import BUNDLED

    model = str(BUNDLED) if options.model in BUNDLED_MODELS else options.model
    python = sys.executable if options.engine_python is None else str(options.engine_python)
    return VllmSettings(model, python, arguments_in(options.engine_args), options.dtype)


def served_identity(options: ParseOptions) -> str:
    """A text that identifies the served model: the server's answer, or the options of the model to be loaded. Raises
    :class:`docspec.core.ModelError` if no server answers."""
    if options.reads_with != "server":
        return f"{options.reads_with}:{options.model}:{options.mmproj or ''}:{options.engine_args or ''}"
    opened = open_engine(options, lambda line: None)
    opened.generator.close()
    if not any(opened.names):
        raise ModelError("the server does not say what it serves")
    return ":".join(("server", *opened.names))
