"""Kernels of a decoder's layer that do the work of two, with the same bits, on GPUs.

**Sums and norms.** A layer adds to its residual twice, and each sum is normalised next: the first by the layer itself,
the second by the next layer or the decoder. One kernel makes both and the sum carries what the norm behind it makes of
it; a norm that is given another tensor computes its own. **Never run on a GPU.**

Layers are changed if they compute the same bits with it on a trial (as in :mod:`docspec.targets.one_kernel`).
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import torch
from torch import nn

from docspec.targets.one_kernel import NORMED, is_one_kernel
from docspec.targets.prefill import instead

PARTS = ("input_layernorm", "self_attn", "post_attention_layernorm", "mlp")
"""What transformers calls the parts of a decoder's layer."""


def add_with_norms(decoder: nn.Module) -> int:
    """Has the layers of ``decoder`` compute each sum and the norm behind it by one kernel, if their norms are one
    (:func:`docspec.targets.one_kernel.normalise_in_one_kernel`); returns how many were changed."""
    layers = [layer for layer in getattr(decoder, "layers", ()) if all(hasattr(layer, part) for part in PARTS)]
    last = getattr(decoder, "norm", None)
    known: dict[Any, bool] = {}
    changed = 0
    for layer, after in pairwise((*layers, None)):
        following = last if after is None else after.input_layernorm
        norms = layer.input_layernorm, layer.post_attention_layernorm, following
        if "forward" in vars(layer) or not all(map(is_one_kernel, norms)):
            continue
        kind = type(layer), type(layer.mlp), norms[0].weight.shape, norms[0].weight.dtype
        if kind not in known:
            known[kind] = _same_layer(layer, following)
        if known[kind]:
            layer.forward = partial(_layer, layer, following)
            changed += 1
    return changed


def _layer(self: Any, following: nn.Module, hidden_states: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    if args or torch.compiler.is_compiling():  # it fuses by itself
        own: torch.Tensor = type(self).forward(self, hidden_states, *args, **kwargs)
        return own
    attended, _ = self.self_attn(hidden_states=self.input_layernorm(hidden_states), **kwargs)
    summed = _added(hidden_states, attended, self.post_attention_layernorm)
    return _added(summed, self.mlp(self.post_attention_layernorm(summed)), following)


def _added(residual: torch.Tensor, values: torch.Tensor, norm: Any) -> torch.Tensor:
    """The sum, which carries what ``norm`` makes of it."""
    from docspec.targets.kernels import added

    if not residual.dtype == values.dtype == norm.weight.dtype:
        return residual + values
    summed, normed = added(residual, values, norm.weight, norm.variance_epsilon)
    setattr(summed, NORMED, (norm, normed))
    return summed


@torch.inference_mode()
def _same_layer(layer: Any, following: Any) -> bool:
    """Whether ``layer`` gives the same bits, and its attention the same arguments; its attention itself is not run."""
    made = torch.Generator().manual_seed(0)
    weight = layer.input_layernorm.weight
    values = torch.randn((2, 3, *weight.shape), generator=made).to(weight)
    given: list[dict[str, Any]] = []
    names = ("attention_mask", "position_ids", "past_key_values", "use_cache", "position_embeddings", "further")
    told = {name: object() for name in names}

    def attended(hidden_states: torch.Tensor, **kwargs: Any) -> tuple[torch.Tensor, None]:
        given.append(kwargs)
        return hidden_states * 3, None

    try:
        with instead(layer.self_attn, attended):
            own = type(layer).forward(layer, values, **told)
            found = _layer(layer, following, values, **told)
        return torch.equal(own, found) and torch.equal(following(own), following(found)) and given[0] == given[1]
    except Exception:  # a layer of other arguments or parts
        return False
