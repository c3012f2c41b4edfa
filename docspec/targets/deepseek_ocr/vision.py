"""The encoder of DeepSeek-OCR: SAM's tower, whose patches are sixteen times fewer behind it, and CLIP's behind that.

SAM's is transformers' class of DeepSeek-OCR 2, which has the same. CLIP's looks at what SAM's made instead of at
pixels; both together, side by side, are projected to the decoder's width. Modules are named as the published weights
(``deepencoder.py`` of deepseek-ai/DeepSeek-OCR).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.activations import QuickGELUActivation
from transformers.models.deepseek_ocr2.modeling_deepseek_ocr2 import DeepseekOcr2SamVisionEncoder

from docspec.targets.deepseek_ocr.configuration import DeepseekOcrVisionConfig

INNER = 4
"""Width of a layer's inner part over its own."""


class ClipEmbeddings(nn.Module):
    """Patches with their places, a class token before them.

    ``patch_embedding`` is published and never used: patches come from the other tower.
    """

    def __init__(self, config: DeepseekOcrVisionConfig) -> None:
        super().__init__()
        width, patch = config.clip_hidden_size, config.clip_patch_size
        self.side = config.clip_image_size // patch
        self.class_embedding = nn.Parameter(torch.zeros(width))
        self.patch_embedding = nn.Conv2d(3, width, kernel_size=patch, stride=patch, bias=False)
        self.position_embedding = nn.Embedding(self.side**2 + 1, width)

    def forward(self, patches: Tensor) -> Tensor:
        """``(views, width, side, side)`` as ``(views, 1 + side * side, width)``, places stretched where there are more
        or fewer of them than in training."""
        first, indices = self.position_embedding.weight[:1], self.position_embedding.weight[1:]
        side = patches.shape[-1]
        if side != self.side:
            grid = indices.T.reshape(1, -1, self.side, self.side).float()
            grid = functional.interpolate(grid, size=(side, side), mode="bicubic", antialias=True, align_corners=False)
            indices = grid.flatten(2)[0].T.to(indices.dtype)
        begin = (self.class_embedding + first).expand(len(patches), 1, -1)
        return torch.cat((begin, patches.flatten(2).transpose(1, 2) + indices), dim=1)


class ClipAttention(nn.Module):
    """Every patch looks at every other one of its view."""

    def __init__(self, config: DeepseekOcrVisionConfig) -> None:
        super().__init__()
        width = config.clip_hidden_size
        self.heads = config.clip_num_attention_heads
        self.qkv_proj = nn.Linear(width, 3 * width)
        self.out_proj = nn.Linear(width, width)

    def forward(self, hidden: Tensor) -> Tensor:
        """``(views, patches, width)`` to the same."""
        query, key, value = self.qkv_proj(hidden).unflatten(-1, (3, self.heads, -1)).transpose(1, 3).unbind(2)
        found = functional.scaled_dot_product_attention(query, key, value)
        return self.out_proj(found.transpose(1, 2).flatten(2))


class ClipMLP(nn.Module):
    """Two layers with the approximate GELU that CLIP was trained with."""

    def __init__(self, config: DeepseekOcrVisionConfig) -> None:
        super().__init__()
        width = config.clip_hidden_size
        self.fc1 = nn.Linear(width, INNER * width)
        self.fc2 = nn.Linear(INNER * width, width)
        self.act = QuickGELUActivation()

    def forward(self, hidden: Tensor) -> Tensor:
        return self.fc2(self.act(self.fc1(hidden)))


class ClipLayer(nn.Module):
    """Attention and MLP behind norms, each added to its input."""

    def __init__(self, config: DeepseekOcrVisionConfig) -> None:
        super().__init__()
        self.self_attn = ClipAttention(config)
        self.mlp = ClipMLP(config)
        self.layer_norm1 = nn.LayerNorm(config.clip_hidden_size, eps=1e-5)
        self.layer_norm2 = nn.LayerNorm(config.clip_hidden_size, eps=1e-5)

    def forward(self, hidden: Tensor) -> Tensor:
        hidden = hidden + self.self_attn(self.layer_norm1(hidden))
        return hidden + self.mlp(self.layer_norm2(hidden))


class ClipTower(nn.Module):
    """CLIP-L over the patches of the other tower; there is no norm behind the last layer."""

    def __init__(self, config: DeepseekOcrVisionConfig) -> None:
        super().__init__()
        self.embeddings = ClipEmbeddings(config)
        self.pre_layrnorm = nn.LayerNorm(config.clip_hidden_size, eps=1e-5)
        layers = [ClipLayer(config) for _ in range(config.clip_num_hidden_layers)]
        self.transformer = nn.ModuleDict({"layers": nn.ModuleList(layers)})

    def forward(self, patches: Tensor) -> Tensor:
        """``(views, width, side, side)`` as ``(views, side * side, width)``: without the class token."""
        hidden = self.pre_layrnorm(self.embeddings(patches))
        for layer in self.transformer["layers"]:
            hidden = layer(hidden)
        return hidden[:, 1:]


class DeepEncoder(nn.Module):
    """Pixels of views to features of the decoder's width, and the two learned ones that say where a row and a picture
    end."""

    def __init__(self, config: DeepseekOcrVisionConfig, width: int) -> None:
        super().__init__()
        assert config.downsample_channels is not None
        found = config.downsample_channels[1]
        self.sam_model = DeepseekOcr2SamVisionEncoder(config)
        self.vision_model = ClipTower(config)
        self.projector = nn.ModuleDict({"layers": nn.Linear(found + config.clip_hidden_size, width)})
        self.image_newline = nn.Parameter(torch.zeros(width))
        self.view_seperator = nn.Parameter(torch.zeros(width))  # the published spelling

    def forward(self, pages: Tensor, tiles: Tensor | None, grids: Tensor) -> Tensor:
        """The features ``(image tokens, width)`` of all pictures: of each its tiles as one picture, the small view of
        the whole, and the mark that ends it.

        ``pages`` ``(pictures, 3, side, side)``, ``tiles`` ``(all tiles, 3, side, side)`` row by row, ``grids``
        ``(pictures, 2)`` columns and rows of tiles, one of each where a picture has none.
        """
        whole = self._looked_at(pages)
        parts = None if tiles is None else self._looked_at(tiles)
        found, first = [], 0
        for page, (columns, rows) in zip(whole, grids.tolist(), strict=True):
            if columns * rows > 1:
                assert parts is not None
                own = parts[first : first + columns * rows]
                first += columns * rows
                across = own.unflatten(0, (rows, columns)).transpose(1, 2)  # rows, their lines, columns
                found.append(self._lines(across.flatten(2, 3).flatten(0, 1)))
            found += [self._lines(page), self.view_seperator.unsqueeze(0)]
        return torch.cat(found)

    def _looked_at(self, pixels: Tensor) -> Tensor:
        """``(views, 3, height, width)`` as features ``(views, lines, places, width)``."""
        patches = self.sam_model(pixels.to(self.image_newline.dtype)).last_hidden_state
        seen = torch.cat((self.vision_model(patches), patches.flatten(2).transpose(1, 2)), dim=-1)
        return self.projector["layers"](seen).unflatten(1, patches.shape[2:])

    def _lines(self, features: Tensor) -> Tensor:
        """``(lines, places, width)`` one line after the other, the mark that ends a line behind each."""
        ends = self.image_newline.expand(len(features), 1, -1)
        return torch.cat((features, ends), dim=1).flatten(0, 1)
