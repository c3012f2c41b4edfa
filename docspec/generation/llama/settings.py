"""What the child is told: which files, how they are run, and what it is asked. Values that travel by pickling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """``model`` and ``pictures`` (the picture tower, where there is one) are files. ``decoders`` work beside each
    other, each with ``threads`` and a KV memory of its own, which holds ``cells`` tokens of all its requests together,
    in float32 with ``exact_kv`` and else in 16 bits. A decoder has ``rows`` requests in its batch, with chains of up to
    ``chain`` drafted tokens (0: no drafts). ``image_tokens`` bound what a picture is made smaller or larger to
    (``None``: as the file says). ``template`` frames prompts where the file has none. With ``strict``, choices nearer
    than the noise that is measured when the model is loaded are made again one token at a time."""

    model: str
    pictures: str | None = None
    cells: int = 16_384
    rows: int = 16
    chain: int = 32
    threads: int = 1
    decoders: int = 1
    exact_kv: bool = False
    flash: bool = False
    image_tokens: tuple[int, int] | None = None
    template: str | None = None
    strict: bool = False


@dataclass(frozen=True, slots=True)
class ChildRequest:
    """A request on its way to the child. ``pixels`` are ``width * height`` RGB bytes in rows (``None``: text alone);
    ``told``: its text is wanted as it grows. The rest is as in :class:`docspec.generation.interface.GenerationRequest`,
    ``arguments`` being those of the template in pairs."""

    number: int
    size: tuple[int, int]
    pixels: bytes | None
    prompt: str
    max_tokens: int
    drafts: tuple[str, ...]
    kind: str
    told: bool = False
    special_tokens: bool = False
    arguments: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """What the child says when its model is loaded: the library's version, the model in a few words, a remark for
    people, and the noise that ``strict`` goes by (0 without it), in logits."""

    version: str
    description: str
    remark: str = ""
    noise: float = 0.0
