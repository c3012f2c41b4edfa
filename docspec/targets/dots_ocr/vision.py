"""The vision tower of dots.ocr: patches of pixels in, one feature per image token out.

Forty-two pre-norm blocks over 14 x 14 pixel patches, attention within one image only, a rotary embedding
over rows and columns, and a merger that folds each 2 x 2 block of patches into one feature. Module names
are those of the published weights (remote code `modeling_dots_vision.py`; vLLM `dots_ocr.py`), so a
checkpoint loads as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS, PreTrainedModel
from transformers.models.qwen2.modeling_qwen2 import Qwen2RMSNorm, eager_attention_forward, rotate_half
from transformers.utils.generic import is_flash_attention_requested

from docspec.targets.dots_ocr.configuration import DotsVisionConfig

ROTARY_THETA = 10_000.0
MERGER_EPS = 1e-6

Grid = tuple[int, int, int]
"""Frames, patch rows and patch columns of one image."""


def patch_positions(grids: Sequence[Grid], merge: int) -> Tensor:
    """Row and column of every patch, `(patches, 2)`, in the image processor's order.

    Patches come block by block (`merge` x `merge` patches that become one token), blocks row by row,
    patches of a block row by row; frames and images one after the other. Rows and columns must be multiples
    of `merge`.
    """
    tables = []
    for frames, rows, columns in grids:
        y, x = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
        table = torch.stack((y, x), dim=-1).view(rows // merge, merge, columns // merge, merge, 2)
        tables.append(table.transpose(1, 2).reshape(-1, 2).repeat(frames, 1))
    return torch.cat(tables)


def rotary_tables(positions: Tensor, head_dim: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines, `(patches, 1, head_dim)` in float32, for row and column positions `(patches, 2)`.

    The first quarter of a head's dimensions turns with the row, the second with the column, and the other
    half is paired with them (rotate-half).
    """
    exponents = torch.arange(0, head_dim // 2, 2, dtype=torch.float32, device=positions.device) / (head_dim // 2)
    angles = (positions.float()[..., None] * (1.0 / ROTARY_THETA**exponents)).flatten(1)
    angles = torch.cat((angles, angles), dim=-1)[:, None]
    return angles.cos(), angles.sin()


def rotate(states: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """`states` `(patches, heads, head_dim)` turned by the tables, computed in float32, in the dtype given."""
    wide = states.float()
    return (wide * cos + rotate_half(wide) * sin).to(states.dtype)


class PatchEmbed(nn.Module):
    """One embedding per patch: a linear map over its pixels (stored as a convolution), then RMSNorm."""

    def __init__(self, config: DotsVisionConfig) -> None:
        super().__init__()
        self.pixels_shape = (config.num_channels, config.temporal_patch_size, config.patch_size, config.patch_size)
        self.proj = nn.Conv2d(
            config.num_channels, config.embed_dim, kernel_size=config.patch_size, stride=config.patch_size
        )
        self.norm = Qwen2RMSNorm(config.embed_dim, eps=config.rms_norm_eps)

    def forward(self, pixel_values: Tensor) -> Tensor:
        """`(patches, channels * temporal * side * side)` to `(patches, embed_dim)`, from the first frame."""
        pixels = pixel_values.view(-1, *self.pixels_shape)[:, :, 0].flatten(1)
        return self.norm(F.linear(pixels, self.proj.weight.flatten(1), self.proj.bias))


class PatchStem(nn.Module):
    """The published name has one level more: `patch_embed.patchifier`."""

    def __init__(self, config: DotsVisionConfig) -> None:
        super().__init__()
        self.patchifier = PatchEmbed(config)

    def forward(self, pixel_values: Tensor) -> Tensor:
        return self.patchifier(pixel_values)


class VisionAttention(nn.Module):
    """Full attention among the patches of one image, none between images."""

    num_key_value_groups = 1
    is_causal = False

    def __init__(self, config: DotsVisionConfig) -> None:
        super().__init__()
        self.config = config
        self.heads = config.num_attention_heads
        self.scaling = (config.embed_dim // self.heads) ** -0.5
        self.qkv = nn.Linear(config.embed_dim, 3 * config.embed_dim, bias=config.use_bias)
        self.proj = nn.Linear(config.embed_dim, config.embed_dim, bias=config.use_bias)

    def forward(self, hidden: Tensor, lengths: list[int], cos: Tensor, sin: Tensor) -> Tensor:
        """`(patches, embed_dim)` to the same; `lengths` are the patches of each image (of each frame)."""
        query, key, value = self.qkv(hidden).view(hidden.shape[0], 3, self.heads, -1).unbind(1)
        query, key = rotate(query, cos, sin), rotate(key, cos, sin)
        # (1, heads, patches, head_dim), as transformers' attention functions take them
        query, key, value = (states.transpose(0, 1)[None] for states in (query, key, value))
        attend: Callable[..., tuple[Tensor, Tensor | None]] = ALL_ATTENTION_FUNCTIONS.get_interface(
            self.config._attn_implementation, eager_attention_forward
        )
        if is_flash_attention_requested(self.config):
            ends = F.pad(torch.tensor(lengths, dtype=torch.int32).cumsum(0, dtype=torch.int32), (1, 0))
            ends = ends.to(hidden.device)
            out, _ = attend(
                self, query, key, value, None, scaling=self.scaling, dropout=0.0, is_causal=False,
                cu_seq_lens_q=ends, cu_seq_lens_k=ends, max_length_q=max(lengths), max_length_k=max(lengths),
            )  # fmt: skip
        else:
            images = zip(*(states.split(lengths, dim=2) for states in (query, key, value)), strict=True)
            parts = [
                attend(self, q, k, v, None, scaling=self.scaling, dropout=0.0, is_causal=False)[0] for q, k, v in images
            ]
            out = torch.cat(parts, dim=1)
        return self.proj(out.reshape(hidden.shape))


class VisionMLP(nn.Module):
    """SwiGLU: `fc2(silu(fc1(x)) * fc3(x))`."""

    def __init__(self, config: DotsVisionConfig) -> None:
        super().__init__()
        self.fc1 = nn.Linear(config.embed_dim, config.intermediate_size, bias=config.use_bias)
        self.fc2 = nn.Linear(config.intermediate_size, config.embed_dim, bias=config.use_bias)
        self.fc3 = nn.Linear(config.embed_dim, config.intermediate_size, bias=config.use_bias)

    def forward(self, hidden: Tensor) -> Tensor:
        return self.fc2(F.silu(self.fc1(hidden)) * self.fc3(hidden))


class VisionBlock(nn.Module):
    """Pre-norm attention and SwiGLU, each added to its input."""

    def __init__(self, config: DotsVisionConfig) -> None:
        super().__init__()
        self.attn = VisionAttention(config)
        self.norm1 = Qwen2RMSNorm(config.embed_dim, eps=config.rms_norm_eps)
        self.mlp = VisionMLP(config)
        self.norm2 = Qwen2RMSNorm(config.embed_dim, eps=config.rms_norm_eps)

    def forward(self, hidden: Tensor, lengths: list[int], cos: Tensor, sin: Tensor) -> Tensor:
        hidden = hidden + self.attn(self.norm1(hidden), lengths, cos, sin)
        return hidden + self.mlp(self.norm2(hidden))


class PatchMerger(nn.Module):
    """Each run of `merge * merge` patches (one block) to one feature of the decoder's width."""

    def __init__(self, config: DotsVisionConfig) -> None:
        super().__init__()
        self.width = config.embed_dim * config.spatial_merge_size**2
        self.ln_q = nn.LayerNorm(config.embed_dim, eps=MERGER_EPS)
        self.mlp = nn.Sequential(
            nn.Linear(self.width, self.width), nn.GELU(), nn.Linear(self.width, config.hidden_size)
        )

    def forward(self, hidden: Tensor) -> Tensor:
        return self.mlp(self.ln_q(hidden).view(-1, self.width))


class DotsVisionTower(PreTrainedModel):
    """Pixels of one or more images to the features of their image tokens."""

    config_class = DotsVisionConfig
    main_input_name = "pixel_values"
    input_modalities = ("image",)
    _no_split_modules = ("VisionBlock",)
    _supports_sdpa = True
    _supports_flash_attn = True
    _supports_attention_backend = True

    def __init__(self, config: DotsVisionConfig) -> None:
        super().__init__(config)
        self.patch_embed = PatchStem(config)
        self.blocks = nn.ModuleList([VisionBlock(config) for _ in range(config.num_hidden_layers)])
        if config.post_norm:
            self.post_trunk_norm = Qwen2RMSNorm(config.embed_dim, eps=config.rms_norm_eps)
        self.merger = PatchMerger(config)
        self.post_init()

    def forward(self, pixel_values: Tensor, grid_thw: Tensor) -> Tensor:
        """Features `(tokens, hidden_size)` of all images, one after the other.

        `pixel_values` `(patches, channels * temporal * side * side)` as the Qwen2-VL image processor writes
        them, `grid_thw` `(images, 3)` their frames, rows and columns in patches. Raises `ValueError` when
        the two disagree or a side is no multiple of the merge size.
        """
        grids: list[Grid] = [(t, h, w) for t, h, w in grid_thw.tolist()]
        merge = self.config.spatial_merge_size
        patches = sum(t * h * w for t, h, w in grids)
        if patches != pixel_values.shape[0] or any(h % merge or w % merge for _, h, w in grids):
            raise ValueError(
                f"image grids {grids} (frames, rows, columns) do not fit {pixel_values.shape[0]} patches "
                f"merged {merge} x {merge}"
            )
        hidden = self.patch_embed(pixel_values.to(self.merger.ln_q.weight.dtype))
        lengths = [h * w for t, h, w in grids for _ in range(t)]
        head_dim = self.config.embed_dim // self.config.num_attention_heads
        cos, sin = rotary_tables(patch_positions(grids, merge).to(hidden.device), head_dim)
        for block in self.blocks:
            hidden = block(hidden, lengths, cos, sin)
        if self.config.post_norm:
            hidden = self.post_trunk_norm(hidden)
        return self.merger(hidden)
