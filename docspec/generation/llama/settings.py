"""What docspec and the child of llama.cpp tell each other: settings, and facts about the model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """``model`` and ``mmproj`` (the picture tower, if there is one) are files. ``decoders`` run in parallel, each
    with ``threads`` and a KV memory of its own, which holds ``cells`` tokens of all its requests together, in float32
    with ``exact_kv``, else in 16 bits. A decoder has up to ``rows`` requests in its batch, each with up to
    ``num_draft_tokens`` (0: no drafts). ``image_tokens`` are the least and the most tokens of an image (``None``: the
    file's). ``template`` is the chat template if the file has none. With ``strict``, choices with a margin below the
    noise that is measured at loading are made again one token at a time. Prompt and answer of a chat have at most
    ``slot`` tokens together. ``precision`` is for reports."""

    model: str
    mmproj: str | None = None
    cells: int = 16_384
    rows: int = 16
    num_draft_tokens: int = 32
    threads: int = 1
    decoders: int = 1
    exact_kv: bool = False
    flash: bool = False
    image_tokens: tuple[int, int] | None = None
    template: str | None = None
    strict: bool = False
    slot: int = 16_384
    precision: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """The child's facts about its loaded model: a remark for people, the noise that ``strict`` uses, in logits (0
    without it), the tokens of a slot, and what ``llama-server`` tells of a model: its chat template, and the texts of
    its first and its end token."""

    remark: str
    noise: float
    slot: int = 0
    template: str = ""
    bos: str = ""
    eos: str = ""
