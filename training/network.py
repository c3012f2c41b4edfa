"""The reader's forward pass for training, over the weights of the transformers model.

Same mathematics as `Qwen3VLForConditionalGeneration` (a test compares them) for batches of equally large
images, with what training needs besides: the grey image goes through one slice of the patch embedding, the
language model's gradient into the vision tower is scaled, and the query-key products of the guided heads are
handed out.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast, Qwen3VLForConditionalGeneration
from transformers.vision_utils import get_vision_interpolation_indices_and_weights, get_vision_position_ids

from training.data import BIN, CLASSES
from training.reader import tokenizer as tok
from training.reader.model import CELL, MERGE, PATCH

CODE = 48  # width of the throw-away heads' character code


@dataclass(frozen=True)
class Seen:
    """What the vision tower returns: patches (B, N, vision width) in merge order, cells (B, N/4, width), and
    queries and keys (B, N, heads, head dim) of its last layer."""

    patches: Tensor
    cells: Tensor
    queries: Tensor
    keys: Tensor


def _turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


class Network(nn.Module):
    """Trainable view of a reader: its weights, the grey slice, and the throw-away heads."""

    def __init__(self, model: Qwen3VLForConditionalGeneration, tokenizer: PreTrainedTokenizerFast) -> None:
        super().__init__()
        self.model = model
        self.prefix = tok.prompt_ids(tokenizer, 1)
        vision, text = model.config.vision_config, model.config.text_config
        self.conv = model.model.visual.patch_embed.proj
        self.conv.weight.requires_grad_(False)
        self.slice = nn.Parameter(self.conv.weight.detach().sum((1, 2)).flatten(1).clone())
        self.patch_code = nn.Linear(vision.hidden_size, PATCH // BIN * CODE)
        self.cell_code = nn.Linear(text.hidden_size, MERGE * CELL // BIN * CODE)
        self.patch_class = nn.Linear(CODE, len(CLASSES) + 1)
        self.cell_class = nn.Linear(CODE, len(CLASSES) + 1)

    @torch.no_grad()
    def spread(self) -> None:
        """Write the grey slice into the six equal slices (3 channels x 2 frames) of the patch embedding."""
        weight = self.slice.view(-1, 1, 1, PATCH, PATCH) / 6
        self.conv.weight.copy_(weight.expand_as(self.conv.weight))

    @functools.lru_cache(maxsize=64)  # noqa: B019 - one network a process
    def vision_geometry(self, rows: int, columns: int, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Position-embedding indices and weights, rotary cos and sin of a grid of rows x columns patches."""
        visual = self.model.model.visual
        grid = torch.tensor([[1, rows, columns]])
        indices, weights = get_vision_interpolation_indices_and_weights(
            grid,
            num_grid_per_side=visual.num_grid_per_side,
            mode="bilinear",
            align_corners=True,
            spatial_merge_size=MERGE,
        )
        cos, sin = visual.rotary_pos_emb(self.slice, get_vision_position_ids(grid, MERGE).to(device))
        return indices.to(device), weights.to(device), cos[:, None], sin[:, None]

    @functools.lru_cache(maxsize=512)  # noqa: B019
    def text_geometry(self, rows: int, columns: int, length: int, device: torch.device) -> tuple[Tensor, Tensor]:
        """Rotary cos and sin (1, 1, sequence, head dim) of prompt, an image of rows x columns, and text."""
        at = self.prefix.index(tok.IMAGE_PAD)
        ids = torch.tensor(
            [self.prefix[:at] + [tok.IMAGE_PAD] * (rows * columns) + self.prefix[at + 1 : -1] + [7] * length]
        )
        position, _ = self.model.model.get_rope_index(
            ids,
            mm_token_type_ids=(ids == tok.IMAGE_PAD).long(),
            image_grid_thw=torch.tensor([[1, rows * MERGE, columns * MERGE]]),
        )
        cos, sin = self.model.model.language_model.rotary_emb(self.slice, position.to(device))
        return cos[:, None], sin[:, None]

    def see(self, pixels: Tensor) -> Seen:
        """The vision tower on grey pixels (B, H, W) uint8."""
        visual = self.model.model.visual
        batch, height, width = pixels.shape
        rows, columns = height // PATCH, width // PATCH
        x = (pixels.float() / 255 - 1) * 2
        x = x.view(batch, rows // MERGE, MERGE, PATCH, columns // MERGE, MERGE, PATCH)
        x = x.permute(0, 1, 4, 2, 5, 3, 6).reshape(batch, rows * columns, PATCH * PATCH)
        indices, weights, cos, sin = self.vision_geometry(rows, columns, pixels.device)
        position = (visual.pos_embed(indices) * weights[..., None]).sum(1)
        x = F.linear(x, self.slice, self.conv.bias) + position
        for block in visual.blocks:
            attention = block.attn
            q, k, v = attention.qkv(block.norm1(x)).view(batch, rows * columns, 3, attention.num_heads, -1).unbind(2)
            q, k = _turn(q, cos, sin), _turn(k, cos, sin)
            y = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
            x = x + attention.proj(y.transpose(1, 2).flatten(2))
            x = x + block.mlp(block.norm2(x))
        merger = visual.merger
        cells = merger.linear_fc2(F.gelu(merger.linear_fc1(merger.norm(x).view(batch, rows * columns // 4, -1))))
        return Seen(x, cells, q, k)

    def read(
        self, cells: Tensor, ids: Tensor, rows: int, columns: int, guided: tuple[int, ...] = ()
    ) -> tuple[Tensor, dict[int, tuple[Tensor, Tensor]]]:
        """The decoder on visual cells (B, rows * columns, width) and text ids (B, T), whose first is the
        prompt's last token. Returns normalised hidden states (B, T, width) and {layer: (queries (B, heads, T,
        dim), keys (B, heads, sequence, dim))} for the guided layers."""
        text = self.model.model.language_model
        batch, length = ids.shape
        at = self.prefix.index(tok.IMAGE_PAD)
        before = text.embed_tokens(ids.new_tensor(self.prefix[:at])).expand(batch, -1, -1)
        after = text.embed_tokens(ids.new_tensor(self.prefix[at + 1 : -1])).expand(batch, -1, -1)
        x = torch.cat((before, cells, after, text.embed_tokens(ids)), 1)
        cos, sin = self.text_geometry(rows, columns, length, ids.device)
        products = {}
        for number, layer in enumerate(text.layers):
            attention = layer.self_attn
            h = F.rms_norm(x, x.shape[-1:], layer.input_layernorm.weight, 1e-6)
            shape = (*h.shape[:2], -1, attention.head_dim)
            q = F.rms_norm(attention.q_proj(h).view(shape), shape[-1:], attention.q_norm.weight, 1e-6).transpose(1, 2)
            k = F.rms_norm(attention.k_proj(h).view(shape), shape[-1:], attention.k_norm.weight, 1e-6).transpose(1, 2)
            v = attention.v_proj(h).view(shape).transpose(1, 2)
            q, k = _turn(q, cos, sin), _turn(k, cos, sin)
            k, v = (part.repeat_interleave(attention.num_key_value_groups, 1) for part in (k, v))
            if number in guided:
                products[number] = (q[:, :, -length:], k)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + attention.o_proj(y.transpose(1, 2).flatten(2))
            mlp = layer.mlp
            h = F.rms_norm(x, x.shape[-1:], layer.post_attention_layernorm.weight, 1e-6)
            x = x + mlp.down_proj(F.silu(mlp.gate_proj(h)) * mlp.up_proj(h))
        return F.rms_norm(x[:, -length:], x.shape[-1:], text.norm.weight, 1e-6), products

    def logits(self, hidden: Tensor) -> Tensor:
        """Vocabulary logits through the tied embedding."""
        return F.linear(hidden, self.model.model.language_model.embed_tokens.weight)
