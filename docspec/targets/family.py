"""The description of a family of published models; everything else is read from its architecture.

Each file in :mod:`docspec.targets.families` has one :class:`Family`. Nothing here imports torch, so that listing all
families is cheap.

The image sizes of a model are its patch grid, and the sizes between which its image processor does not resize. For a
model in this process the processor has them; for one that runs elsewhere, its published files or its family.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from docspec.core import ModelError
from docspec.targets.model_profile import ModelProfile
from docspec.targets.validation import read_object


class Sight(Protocol):
    """Pixels per token and axis (``factor``), and the pixels below which an image is enlarged and beyond which it is
    reduced (0: unknown)."""

    @property
    def factor(self) -> int: ...

    @property
    def least_pixels(self) -> int: ...

    @property
    def most_pixels(self) -> int: ...


def image_tokens(sight: Sight, pixels: int) -> int:
    """About how many tokens an image of ``pixels`` takes, reduced if it is larger than the model sees."""
    return min(pixels, sight.most_pixels or pixels) // sight.factor**2


@dataclass(frozen=True, slots=True)
class PublishedSight:
    """A :class:`Sight` from published files."""

    factor: int
    least_pixels: int = 0
    most_pixels: int = 0

    @property
    def pixel_limits(self) -> dict[str, int]:
        """The arguments of :func:`docspec.core.page.smart_resize`; empty if they are unknown."""
        if not self.most_pixels:
            return {}
        return {"factor": self.factor, "min_pixels": self.least_pixels, "max_pixels": self.most_pixels}


def sight_in(directory: str, factor: int | None) -> PublishedSight | None:
    """The sizes in ``preprocessor_config.json`` in ``directory``; ``factor`` is the family's, used instead of the
    file's. ``None`` without the file or without a factor. Raises :class:`docspec.core.ModelError`."""
    file = Path(directory) / "preprocessor_config.json"
    if not file.is_file():
        return None
    said = read_object(file)
    if factor is None:
        patch, merge = said.get("patch_size"), said.get("merge_size", 1)
        if not isinstance(patch, int) or not isinstance(merge, int):
            return None
        factor = patch * merge
    size = said.get("size")
    size = size if isinstance(size, dict) else {}
    least, most = size.get("shortest_edge"), size.get("longest_edge")
    if least is None and most is None:
        least, most = said.get("min_pixels"), said.get("max_pixels")
    if not isinstance(least, int | None) or not isinstance(most, int | None):
        raise ModelError(f"{file}: sizes of pictures must be whole numbers of pixels")
    return PublishedSight(factor, least or 0, most or 0)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A published model: its hub name, parameters in billions, licence, and its own card if its prompts differ from its
    family's. A model is recognised by ``stem`` in its name or path, ignoring case. ``gguf`` is a hub repository with
    its weights for llama.cpp; none of them was run here."""

    name: str
    billions: float
    licence: str
    stem: str = ""
    card: ModelProfile | None = None
    gguf: str = ""

    def is_named(self, name: str) -> bool:
        """Whether a model called ``name`` (hub name or path) is this checkpoint or derived from it."""
        return (self.stem or self.name.split("/")[-1]).lower() in name.lower()


@dataclass(frozen=True, slots=True)
class Family:
    """How checkpoints of one architecture are loaded and prompted.

    ``model_types`` are those of ``config.json``; ``architectures`` are names there that identify the family whatever
    the type is. ``architecture`` is a class of transformers, or ``module:Class``.

    ``processor`` is the class of transformers that builds the inputs (``None``: the one that ``AutoProcessor`` takes),
    or ``module:Class`` of a :class:`docspec.targets.processing.Processing`. ``template`` is a Jinja template over
    ``messages`` that frames the prompt if the checkpoint has no chat template; ``template_arguments`` are those that
    the published tool passes to any template. ``image_marks`` begin the text that the published tool sends to a vLLM
    beside an image; that vLLM then takes messages as one text (``--chat-template-content-format string``). ``logits``
    is the class's function on the output of its head, given the decoder's configuration. ``packed`` are model inputs
    that hold the patches of all images in one row. ``vision_attention`` is for towers without sdpa. ``factor`` is the
    grid in pixels that crops are padded to if the image processor has none. ``end_tokens`` end an answer if there is no
    ``generation_config.json`` with them. ``sight`` are the image sizes of published checkpoints on other machines: the
    defaults of their class in transformers. ``note`` tells people what is unknown or unsupported.
    """

    model_types: tuple[str, ...]
    architecture: str
    card: ModelProfile
    checkpoints: tuple[Checkpoint, ...] = ()
    architectures: tuple[str, ...] = ()
    processor: str | None = None
    template: str | None = None
    template_arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)
    image_marks: str = ""
    logits: Callable[[Any, Any], Any] | None = None
    packed: frozenset[str] = frozenset()
    vision_attention: str = "sdpa"
    factor: int | None = None
    sight: PublishedSight | None = None
    end_tokens: tuple[str, ...] = ()
    note: str = ""

    def card_of(self, *names: str) -> ModelProfile:
        """The card of the checkpoint that one of ``names`` (hub name, path) matches; otherwise the family's."""
        for checkpoint in self.checkpoints:
            if checkpoint.card is not None and any(map(checkpoint.is_named, names)):
                return checkpoint.card
        return self.card
