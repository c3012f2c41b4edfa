"""The forward pass of transformers' gated-delta layers over :class:`RecurrentStates`.

The class's own functions read prompts, so that a prompt leaves the same state as in ``generate``; trees are verified by
:mod:`docspec.targets.recurrent.gated_delta`. With any other cache a layer works as before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import MethodType
from typing import Any

import torch
from torch.nn import functional
from transformers.activations import ACT2FN

from docspec.core import ModelError
from docspec.targets.attention import PACKED, Packed
from docspec.targets.kv_cache import SlotCache
from docspec.targets.recurrent.gated_delta import verify
from docspec.targets.recurrent.states import Prompts, RecurrentSpec, RecurrentStates, TreeStep

KIND = "linear_attention"
"""transformers' name of such layers (``layer_types``)."""

NEEDED = ("in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a", "conv1d", "A_log", "dt_bias", "norm", "out_proj")
"""Parts of a gated-delta layer as ``qwen3_5`` has them."""

EPSILON = 1e-6
"""The epsilon in the normalisation of keys and queries, as in transformers."""


def recurrent_spec(decoder: Any) -> RecurrentSpec | None:
    """The recurrent layers of ``decoder``; ``None`` if it has none. Raises :class:`docspec.core.ModelError` if they are
    not gated-delta layers of the known form."""
    kinds = getattr(decoder.config, "layer_types", None) or ()
    indices = tuple(index for index, kind in enumerate(kinds) if kind == KIND)
    if not indices:
        return None
    layers = [getattr(decoder.layers[index], "linear_attn", None) for index in indices]
    if any(layer is None or not all(hasattr(layer, name) for name in NEEDED) for layer in layers):
        raise ModelError(
            f"the recurrent layers of {type(decoder).__name__} are not supported; gated-delta layers as of Qwen3.5 are"
        )
    one: Any = layers[0]
    return RecurrentSpec(
        indices, one.num_v_heads, one.head_k_dim, one.head_v_dim, one.conv_dim, one.conv_kernel_size - 1
    )


def verify_by_trees(decoder: Any, spec: RecurrentSpec) -> None:
    """Lets the recurrent layers of ``decoder`` accept a :class:`SlotCache` and tree masks from now on."""
    for index in spec.layers:
        layer = decoder.layers[index].linear_attn
        layer.forward = MethodType(_forward_of(type(layer).forward), layer)


def _forward_of(usual: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    def forward(
        self: Any, hidden_states: torch.Tensor, cache_params: Any = None, attention_mask: Any = None, **kwargs: Any
    ) -> torch.Tensor:
        if not isinstance(cache_params, SlotCache):
            return usual(self, hidden_states, cache_params=cache_params, attention_mask=attention_mask, **kwargs)
        packed: Packed | None = kwargs.pop(PACKED, None)
        inputs, gates = self.in_proj_qkv(hidden_states), self.in_proj_z(hidden_states)
        betas = self.in_proj_b(hidden_states).sigmoid().float()
        # In float32: exp(A_log) overflows in float16.
        decays = -self.A_log.float().exp() * functional.softplus(self.in_proj_a(hidden_states).float() + self.dt_bias)
        if packed is not None:
            inputs, betas, decays = map(packed.spread, (inputs, betas, decays))
        kept = cache_params.recurrent
        if kept.prompts is not None:
            found = _read_prompts(self, kept, kept.prompts, inputs, betas, decays)
        else:
            found = _verify_trees(self, kept, kept.step(attention_mask), inputs, betas, decays)
        if packed is not None:
            found = packed.gathered(found)
        normed = self.norm(found.reshape(-1, self.head_v_dim), gates.reshape(-1, self.head_v_dim))
        return self.out_proj(normed.reshape(*hidden_states.shape[:2], -1))

    return forward


def _read_prompts(
    layer: Any, kept: RecurrentStates, prompts: Prompts, inputs: torch.Tensor, betas: torch.Tensor, decays: torch.Tensor
) -> torch.Tensor:
    """Outputs ``(rows, tokens, heads, value_dim)``; stores each row's state after its last token, ignoring padding."""
    states, last_inputs = kept.states[kept.at(layer.layer_idx)], kept.inputs[kept.at(layer.layer_idx)]
    window, tokens = last_inputs.shape[1], inputs.shape[1]
    rows, lengths = prompts.rows, prompts.lengths
    before = last_inputs[rows] if prompts.continued else inputs.new_zeros((len(rows), window, inputs.shape[2]))
    shown = torch.cat([before.to(inputs.dtype), inputs], dim=1)
    module = sys.modules[type(layer).__module__]
    mixed = module.causal_conv1d_fn(
        shown.transpose(1, 2), layer.conv1d.weight.squeeze(1), layer.conv1d.bias, activation=layer.activation
    ).transpose(1, 2)[:, window:]
    queries, keys, values = _parted(layer, mixed)
    padding = torch.arange(tokens, device=lengths.device).unsqueeze(0) >= lengths.unsqueeze(1)
    outputs, last = module.torch_chunk_gated_delta_rule(
        queries,
        keys,
        values,
        g=decays.masked_fill(padding.unsqueeze(-1), 0.0),
        beta=betas.masked_fill(padding.unsqueeze(-1), 0.0),
        initial_state=states[rows] if prompts.continued else None,
        output_final_state=True,
        use_qk_l2norm_in_kernel=True,
    )
    states[rows] = last.float()
    indices = lengths.unsqueeze(1) + torch.arange(window, device=lengths.device)
    last_inputs[rows] = shown.gather(1, indices.unsqueeze(-1).expand(-1, -1, shown.shape[2]))
    return outputs


def _verify_trees(
    layer: Any, kept: RecurrentStates, step: TreeStep, inputs: torch.Tensor, betas: torch.Tensor, decays: torch.Tensor
) -> torch.Tensor:
    """Outputs ``(rows, nodes, heads, value_dim)``; logs the updates of the nodes."""
    at, rows = kept.at(layer.layer_idx), len(inputs)
    shown = torch.cat([kept.inputs[at, :rows], inputs], dim=1)
    queries, keys, values = _parted(layer, _convolved(layer, shown, step.windows))
    repeats = layer.num_v_heads // layer.num_k_heads
    if repeats > 1:
        queries, keys = queries.repeat_interleave(repeats, dim=2), keys.repeat_interleave(repeats, dim=2)
    queries = _of_length_one(queries.float()) * layer.head_k_dim**-0.5
    outputs, updates = verify(
        kept.states[at, :rows], queries, _of_length_one(keys.float()), values.float(), decays, betas, step.ancestry
    )
    kept.note(at, updates, inputs)
    return outputs.to(inputs.dtype)


def _convolved(layer: Any, shown: torch.Tensor, windows: torch.Tensor) -> torch.Tensor:
    """The layer's convolution over the inputs in each node's window, ``(rows, nodes, channels)``."""
    rows, nodes, width = windows.shape
    indices = windows.reshape(rows, nodes * width, 1).expand(-1, -1, shown.shape[2])
    covered = shown.gather(1, indices).view(rows, nodes, width, -1)
    weight = layer.conv1d.weight.squeeze(1)  # (channels, window + 1)
    mixed = torch.einsum("rnwc,cw->rnc", covered.to(weight.dtype), weight)
    if layer.conv1d.bias is not None:
        mixed = mixed + layer.conv1d.bias
    return ACT2FN[layer.activation](mixed).to(shown.dtype)


def _parted(layer: Any, mixed: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries, keys and values ``(rows, tokens, heads, dim)``."""
    queries, keys, values = mixed.split([layer.key_dim, layer.key_dim, layer.value_dim], dim=-1)
    return (
        queries.unflatten(-1, (-1, layer.head_k_dim)),
        keys.unflatten(-1, (-1, layer.head_k_dim)),
        values.unflatten(-1, (-1, layer.head_v_dim)),
    )


def _of_length_one(vectors: torch.Tensor) -> torch.Tensor:
    return vectors * torch.rsqrt((vectors * vectors).sum(-1, keepdim=True) + EPSILON)
