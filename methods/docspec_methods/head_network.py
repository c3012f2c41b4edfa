"""One decoder layer over the target's last hidden states, as in EAGLE, and the additions of two methods for images.

At each position the layer gets the target's hidden state and the embedding of the next token, and computes the hidden
state of that token; the target's own output matrix turns it into the token after that. Further ahead it continues from
its own states.

- **HiViS** (``hivis``): image tokens stay hidden. The states of text have seen the image already; a learnt residual for
  each step ahead, ``r^i w``, corrects states that are the head's own (its section 3).
- **ViSpec** (``vispec``): learnt queries compress the image's embeddings into a few tokens that stand before the text,
  and one vector ``g`` of the image is added to every state, ``f + W_g g`` (its section 4, equation 5).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional

from docspec.core import ModelError
from docspec.core.safe_text import first_line

THETA = 10_000.0

HeadKind = Literal["hivis", "vispec"]
"""Architectures of a head."""


@dataclass(frozen=True, slots=True)
class HeadConfig:
    """``size`` is that of the target's hidden states; ``steps`` is the number of distinguished steps ahead, ``queries``
    the number of tokens of a compressed image (ViSpec)."""

    kind: HeadKind
    size: int
    heads: int
    inner: int
    steps: int = 5
    queries: int = 4


class Past(NamedTuple):
    """Earlier keys and values ``(rows, heads, positions, head size)``, and which of them each token sees: boolean
    ``(rows, tokens, positions)``."""

    keys: torch.Tensor
    values: torch.Tensor
    seen: torch.Tensor


class Made(NamedTuple):
    """The output of one pass: hidden states ``(rows, tokens, size)``, and its keys and values."""

    hidden: torch.Tensor
    keys: torch.Tensor
    values: torch.Tensor


class Head(nn.Module):
    """The head of one target."""

    def __init__(self, config: HeadConfig) -> None:
        super().__init__()
        size = config.size
        self.config = config
        self.fuse = nn.Linear(2 * size, size, bias=False)  # w1 and w2 side by side
        self.before_attention = nn.RMSNorm(size)
        self.query = nn.Linear(size, size, bias=False)
        self.key = nn.Linear(size, size, bias=False)
        self.value = nn.Linear(size, size, bias=False)
        self.out = nn.Linear(size, size, bias=False)
        self.before_inner = nn.RMSNorm(size)
        self.gate = nn.Linear(size, config.inner, bias=False)
        self.up = nn.Linear(size, config.inner, bias=False)
        self.down = nn.Linear(config.inner, size, bias=False)
        if config.kind == "hivis":
            self.residuals = nn.Parameter(torch.zeros(config.steps, size))
            self.residual = nn.Linear(size, size, bias=False)
        else:
            self.queries = nn.Parameter(torch.randn(config.queries + 1, size) * size**-0.5)
            self.adaptor = nn.MultiheadAttention(size, config.heads, batch_first=True)
            self.of_image = nn.Linear(size, size, bias=False)

    def forward(
        self,
        states: torch.Tensor,
        embeddings: torch.Tensor,
        step: int,
        positions: torch.Tensor,
        past: Past | None,
        own: torch.Tensor,
    ) -> Made:
        """One pass over ``(rows, tokens, size)`` ``states`` and the ``embeddings`` of the tokens after them.

        ``step`` counts the steps ahead of the target's states, ``positions`` ``(rows, tokens)`` are the rotary
        positions, ``past`` the earlier keys and values, and ``own`` ``(rows, tokens, tokens)`` (boolean) says which
        tokens of the pass each one sees.
        """
        fused = self.fuse(torch.cat((states, embeddings), -1))
        if self.config.kind == "hivis":
            fused = fused + self.residual(self.residuals[min(step, self.config.steps - 1)])
        queries, keys, values = self.projected(fused, positions)
        seen, all_keys, all_values = own, keys, values
        if past is not None:
            seen = torch.cat((past.seen, own), 2)
            all_keys = torch.cat((past.keys, keys), 2)
            all_values = torch.cat((past.values, values), 2)
        looked = functional.scaled_dot_product_attention(queries, all_keys, all_values, seen.unsqueeze(1))
        return Made(self.finished(fused, looked), keys, values)

    def projected(
        self, fused: torch.Tensor, positions: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Queries, keys and values ``(rows, heads, tokens, head size)``, turned by their positions."""
        normed = self.before_attention(fused)
        shape = (*fused.shape[:2], self.config.heads, -1)
        queries, keys, values = (
            made(normed).view(shape).transpose(1, 2) for made in (self.query, self.key, self.value)
        )
        return _turned(queries, positions), _turned(keys, positions), values

    def finished(self, fused: torch.Tensor, looked: torch.Tensor) -> torch.Tensor:
        """The output of the layer for its ``fused`` input and the output of its attention (``looked``)."""
        hidden = fused + self.out(looked.transpose(1, 2).flatten(2))
        normed = self.before_inner(hidden)
        return hidden + self.down(functional.silu(self.gate(normed)) * self.up(normed))

    def sees_images(self) -> bool:
        """Whether it takes images (ViSpec); without them :meth:`compress` is not used."""
        return self.config.kind == "vispec"

    def compress(self, image: torch.Tensor, absent: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Compresses ``(rows, tokens, size)`` image embeddings, without ``absent`` ones (boolean ``(rows, tokens)``),
        to ``(rows, queries, size)`` tokens and the vector that is added to every state, ``(rows, size)``."""
        queries = self.queries.expand(len(image), -1, -1)
        compressed = queries + self.adaptor(queries, image, image, absent, need_weights=False)[0]
        return compressed[:, :-1], self.of_image(compressed[:, -1])


def _turned(vectors: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """Rotary embedding of ``(rows, heads, tokens, head size)`` at ``positions`` ``(rows, tokens)``."""
    half = vectors.shape[-1] // 2
    rates = THETA ** (-torch.arange(half, device=vectors.device, dtype=torch.float32) / half)
    angles = (positions.unsqueeze(-1) * rates).unsqueeze(1)
    cos, sin = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
    first, second = vectors[..., :half], vectors[..., half:]
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)


def save(head: Head, folder: Path, **facts: Any) -> None:
    """Writes ``head`` in bfloat16; ``facts`` (the target's size, results of training) are kept in ``head.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().to("cpu", torch.bfloat16).contiguous() for name, value in head.state_dict().items()}
    save_file(weights, folder / "head.safetensors", metadata={"format": "pt"})
    text = json.dumps({"config": asdict(head.config), **facts}, indent=2)
    (folder / "head.json").write_text(text + "\n", encoding="utf-8")


def load(folder: Path, size: int, dtype: torch.dtype, device: torch.device) -> Head:
    """The head in ``folder`` for a target with hidden states of ``size``. Raises :class:`docspec.core.ModelError` if
    there is none, or one of another size."""
    try:
        config = HeadConfig(**json.loads((folder / "head.json").read_text(encoding="utf-8"))["config"])
        head = Head(config)
        head.load_state_dict(load_file(folder / "head.safetensors"))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ModelError(f"{folder} holds no head that can be read ({first_line(error)})") from error
    if config.size != size:
        raise ModelError(f"{folder} is a head for states of {config.size}; the target's are of {size}")
    return head.to(device, dtype).eval()
