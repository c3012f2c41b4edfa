"""Opens what pages are read with: the model in this process, on several devices, or in another program."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from docspec.core import ModelError, ParseOptions, UsageError
from docspec.core.observer import NullObserver
from docspec.device_engine import DeviceEngine, DeviceFacts, limits_of
from docspec.offline import is_here

if TYPE_CHECKING:
    from docspec.dialects import Dialect
    from docspec.generation.choice import OpenedEngine
    from docspec.generation.processes import EngineProcesses
    from docspec.hierarchy.reading_context import ReadingContext
    from docspec.targets.model_profile import ModelProfile
    from docspec.targets.registry import LoadedTarget
    from docspec.targets.remote_model import RemoteModel

MAX_LENGTH = 32_768
"""Tokens of a model's context if its server does not tell."""

SILENCE = 600.0
"""Seconds without a step after which an accelerator is taken to hang; the longest prompt takes it seconds."""


def dialect_of(loaded: LoadedTarget) -> Dialect:
    """The forms of prompts and answers of ``loaded``, by its card and its image processor."""
    return dialect_with(loaded.card, limits_of(loaded))


def dialect_with(card: ModelProfile, pixel_limits: Mapping[str, int]) -> Dialect:
    """The dialect of a model with ``card``; its pictures are scaled to ``pixel_limits``."""
    from docspec.dialects import make_dialect

    return make_dialect(card.dialect, **card.spelling, **(pixel_limits if card.dialect == "layout-json" else {}))


# Several devices


def start_devices(
    options: ParseOptions, devices: Sequence[str], begun: Callable[[EngineProcesses], None]
) -> EngineProcesses:
    """A process with the model on each of ``devices``, of which one may be named several times; ``begun`` receives them
    before they load it. Raises :class:`docspec.core.ModelError` if no device can load the model."""
    from docspec.generation.member import EnginePlace
    from docspec.generation.processes import EngineProcesses

    quiet, on_cpu = logging.root.manager.disable >= logging.WARNING, devices.count("cpu")
    makers = [
        partial(DeviceEngine, replace(options, device=each), on_cpu if each == "cpu" else 1, quiet) for each in devices
    ]
    places = [
        EnginePlace(each, make, silence=math.inf if each == "cpu" else SILENCE)
        for each, make in zip(devices, makers, strict=True)
    ]
    return EngineProcesses(places, begun=begun)


def context_on_devices(options: ParseOptions, processes: EngineProcesses) -> ReadingContext:
    """What pages are read with by ``processes``."""
    from docspec.hierarchy.planner import Planner
    from docspec.hierarchy.reading_context import ReadingContext

    facts: DeviceFacts = processes.opened[0].facts
    return ReadingContext(
        facts.card,
        dialect_with(facts.card, facts.pixel_limits),
        options,
        NullObserver(),  # pages are read in many threads; the run is told of finished ones
        facts.sight,
        processes.max_length,
        processes,
        Planner(facts.costs),
        codec=facts.codec,
        pages_at_once=len(processes.opened) * options.in_flight,
    )


# Other programs


@dataclass(frozen=True, slots=True)
class RemoteInfo:
    """A report's data on a target in another program: the engine, and the engine's name of the model."""

    name: str
    engine: str
    model_type: str
    dialect: str
    max_length: int
    random: bool
    note: str

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for users on this target."""
        return (f"model: {self.name} ({self.model_type}), {self.engine}" + (f" ({self.note})" if self.note else ""),)


def context_elsewhere(options: ParseOptions, opened: OpenedEngine) -> tuple[ReadingContext, RemoteInfo]:
    """What pages are read with by the engine of another program, and its description. Raises
    :class:`docspec.core.ModelError` if nothing is known of its model."""
    from docspec.hierarchy.reading_context import ReadingContext

    profile, most = profile_of(options, opened), opened.max_length or MAX_LENGTH
    card, family = profile.card, profile.family
    context = ReadingContext(
        card,
        dialect_with(card, profile.sight.pixel_limits),
        options,
        NullObserver(),
        profile.sight,
        most,
        opened.generator,
        template_arguments={} if family is None else family.template_arguments,
        image_marks="" if family is None else family.image_marks,
        pages_at_once=options.in_flight,
    )
    engine = opened.generator.name
    return context, RemoteInfo(opened.names[0], engine, profile.model_type, card.dialect, most, card.random, card.note)


def profile_of(options: ParseOptions, opened: OpenedEngine) -> RemoteModel:
    """What is known of the model of another program."""
    from docspec.targets.remote_model import remote_model_of

    if opened.profile is None and options.model.lower().endswith(".gguf"):
        return _profile_of_file(options)
    return opened.profile or remote_model_of(options, *opened.names)


def _profile_of_file(options: ParseOptions) -> RemoteModel:
    from docspec.generation.llama.model_files import find_files
    from docspec.generation.llama.opening import gguf_of

    return find_files(gguf_of(options.model), options.mmproj).profile(options)


def check_offline(options: ParseOptions) -> None:
    """Raises :class:`docspec.core.UsageError` if a server on another machine is named with ``offline``."""
    if not (options.offline and options.server):
        return
    from docspec.generation.server.addresses import base_of

    for url in options.server:
        if not is_here(urlsplit(base_of(url)).hostname or ""):
            raise UsageError(f"--offline and --server {base_of(url)}: choose one of them")


def card_of_served(options: ParseOptions) -> ModelProfile:
    """The card of the model of another program, by the server's answer; no engine is started."""
    from docspec.generation.choice import open_engine
    from docspec.targets.remote_model import remote_model_of

    if options.reads_with == "llama":
        return _profile_of_file(options).card
    if options.reads_with != "server":
        return remote_model_of(options, options.model).card
    opened = open_engine(options, lambda line: None)
    opened.generator.close()
    return profile_of(options, opened).card


def gpus() -> int:
    """The number of CUDA devices that this process may use."""
    import torch

    return torch.cuda.device_count()


def devices_of(text: str, count: Callable[[], int] = gpus) -> tuple[str, ...]:
    """The devices in ``text``: ``0,1`` are two GPUs, ``all`` is every GPU, ``cpu,cpu`` (a device may be repeated) two
    processes that share the processors. ``count`` returns the number of GPUs.

    Raises :class:`UsageError` for an invalid name, :class:`ModelError` for a GPU that does not exist.
    """
    there: int | None = None
    found = []
    for name in ["all"] if text.strip() == "all" else [each.strip() for each in text.split(",")]:
        if name == "cpu":
            found.append(name)
            continue
        match = re.fullmatch(r"(?a:all|(?:cuda:)?(\d{1,4}))", name)
        if match is None or (name == "all" and "," in text):
            raise UsageError(f"--devices {text}: write it like 0,1 or all (GPUs), or cpu,cpu")
        there = count() if there is None else there
        if there == 0 or int(match[1] or 0) >= there:
            raise ModelError(f"--devices {text}: this machine has {there} usable CUDA devices")
        found += [f"cuda:{index}" for index in range(there)] if name == "all" else [f"cuda:{int(match[1])}"]
    return tuple(found)
