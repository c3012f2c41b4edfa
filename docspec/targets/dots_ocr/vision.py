"""The vision tower of dots.ocr: patches of pixels in, one feature per image token out.

Forty-two pre-norm blocks over 14 x 14 pixel patches, attention within one image only, a rotary embedding
over rows and columns, and a merger that folds each 2 x 2 block of patches into one feature. Module names
are those of the published weights (remote code `modeling_dots_vision.py`; vLLM `dots_ocr.py`), so a
checkpoint loads as it is.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers.modeling_utils import PreTrainedModel
from transformers.models.qwen2.modeling_qwen2 import Qwen2RMSNorm
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VLVisionAttention
from transformers.utils.generic import is_flash_attention_requested
from transformers.vision_utils import get_vision_cu_seqlens, get_vision_position_ids

from docspec.targets.dots_ocr.configuration import DotsVisionConfig

ROTARY_THETA = 10_000.0
MERGER_EPS = 1e-6


def rotary_tables(positions: Tensor, head_dim: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines, `(patches, head_dim)` in float32, for row and column positions `(patches, 2)`.

    The first quarter of a head's dimensions turns with the row, the second with the column, and the other
    half is paired with them (rotate-half).
    """
    exponents = torch.arange(0, head_dim // 2, 2, dtype=torch.float32, device=positions.device) / (head_dim // 2)
    angles = (positions.float()[..., None] * (1.0 / ROTARY_THETA**exponents)).flatten(1)
    angles = torch.cat((angles, angles), dim=-1)
    return angles.cos(), angles.sin()


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


class VisionAttention(Qwen2_5_VLVisionAttention):
    """Full attention among the patches of one image, none between images: Qwen2.5-VL's, in the tower's own width and
    without biases."""

    def __init__(self, config: DotsVisionConfig) -> None:
        nn.Module.__init__(self)
        self.config = config
        self.num_heads = config.num_attention_heads
        self.num_key_value_groups = 1
        self.scaling = (config.embed_dim // self.num_heads) ** -0.5
        self.attention_dropout, self.is_causal = 0.0, False
        self.qkv = nn.Linear(config.embed_dim, 3 * config.embed_dim, bias=config.use_bias)
        self.proj = nn.Linear(config.embed_dim, config.embed_dim, bias=config.use_bias)


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

    def forward(self, hidden: Tensor, ends: Tensor, tables: tuple[Tensor, Tensor]) -> Tensor:
        """`(patches, embed_dim)` to the same; `ends` `(frames + 1,)` part the patches of each frame of each image."""
        hidden = hidden + self.attn(self.norm1(hidden), ends, tables)
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
        grid = grid_thw.cpu()
        merge = self.config.spatial_merge_size
        if int(grid.prod(1).sum()) != pixel_values.shape[0] or bool((grid[:, 1:] % merge).any()):
            raise ValueError(
                f"image grids {grid.tolist()} (frames, rows, columns) do not fit {pixel_values.shape[0]} patches "
                f"merged {merge} x {merge}"
            )
        hidden = self.patch_embed(pixel_values.to(self.merger.ln_q.weight.dtype))
        ends = get_vision_cu_seqlens(grid)  # on the host, where attention asks for it, but for flash attention
        if is_flash_attention_requested(self.config):
            ends = ends.to(hidden.device)
        head_dim = self.config.embed_dim // self.config.num_attention_heads
        tables = rotary_tables(get_vision_position_ids(grid, merge).to(hidden.device), head_dim)
        for block in self.blocks:
            hidden = block(hidden, ends, tables)
        if self.config.post_norm:
            hidden = self.post_trunk_norm(hidden)
        return self.merger(hidden)
