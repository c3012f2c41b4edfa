"""Changes to the modules of a loaded model that make it faster, with the same values.

**Patches.** Vision towers write the patch embedding as a convolution whose kernel has the size of a patch, so that it
is applied once to each patch: a matrix product. On a CPU torch computes the convolution three times as slowly; on a
GPU some versions of cuDNN are many times slower in bfloat16, and only for kernels with three axes.

**Narrow steps.** A verification step multiplies a few dozen tokens by every weight. For so few rows the BLAS spends
much of its time on rearranging weights stored output by input, as transformers loads them; stored the other way they
need no rearranging. This holds while a weight fits into the caches: beyond :data:`LARGEST` wide trees become slower.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

import torch
from torch import nn
from torch.nn.functional import linear
from transformers.vision_utils import (
    get_vision_cu_seqlens,
    get_vision_interpolation_indices_and_weights,
    get_vision_position_ids,
    get_vision_window_index,
)

from docspec.targets.staging import uploaded

GRIDS = frozenset({"image_grid_thw"})


def grids_on_host(model: Any) -> frozenset[str]:
    """The model inputs that stay on the host. The towers of ``model``, if it is on an accelerator, get tensors that
    were computed from them on the host."""
    if next(model.parameters()).device.type == "cpu":
        return frozenset()
    towers = [module for module in model.modules() if _is_tower(module)]
    for tower in towers:
        tower.register_forward_pre_hook(_computed_beforehand, with_kwargs=True)
    return GRIDS if towers else frozenset()


def _is_tower(module: nn.Module) -> bool:
    """Whether the module takes a grid and needs the ends of images on the host for its attention."""
    source = inspect.getmodule(type(module))
    computes = source is not None and hasattr(source, "get_vision_attention_seqlens")
    asked = inspect.signature(module.forward).parameters
    config = getattr(module, "config", None)
    flash = "flash" in str(getattr(config, "_attn_implementation", ""))
    return computes and "grid_thw" in asked and hasattr(module, "blocks") and not flash


def _computed_beforehand(tower: Any, args: tuple[Any, ...], inputs: dict[str, Any]) -> Any:
    grid = inputs.get("grid_thw", args[1] if len(args) > 1 else None)
    if grid is None:
        return args, inputs
    device, grid = next(tower.parameters()).device, grid.cpu()
    inputs = {**inputs, "grid_thw": uploaded(grid, device)}
    inputs["cu_seqlens"] = get_vision_cu_seqlens(grid)
    inputs["position_ids"] = uploaded(get_vision_position_ids(grid, tower.spatial_merge_size), device)
    if hasattr(tower, "interpolation_mode"):  # Qwen3-VL: learnt positions are resampled to the image's grid
        indices, weights = get_vision_interpolation_indices_and_weights(
            grid,
            num_grid_per_side=tower.num_grid_per_side,
            mode=tower.interpolation_mode,
            align_corners=tower.interpolation_align_corners,
            spatial_merge_size=tower.config.spatial_merge_size,
        )
        inputs |= {"interp_indices": uploaded(indices, device), "interp_weights": uploaded(weights, device)}
    if hasattr(tower, "window_size"):  # Qwen2.5-VL: most of its layers look at a window
        of_tower = tower.spatial_merge_size, tower.window_size, tower.patch_size
        index, ends = get_vision_window_index(grid, *of_tower)
        inputs |= {"window_index": uploaded(index, device), "cu_window_seqlens": ends}
    return args[:1], inputs


LARGEST = 1 << 22
"""Elements of a weight beyond which it is not changed."""


def embed_by_products(model: nn.Module) -> int:
    """Computes convolutions of ``model`` on inputs of the kernel's own size as matrix products; returns how many were
    changed."""
    changed = 0
    for module in model.modules():
        if not isinstance(module, nn.Conv2d | nn.Conv3d):
            continue
        if module.groups == 1 and not any(_sizes(module.padding)) and set(_sizes(module.dilation)) == {1}:
            module.forward = types.MethodType(_forward, module)  # type: ignore[method-assign]
            changed += 1
    return changed


def _forward(self: nn.Conv2d | nn.Conv3d, patches: torch.Tensor) -> torch.Tensor:
    if patches.shape[2:] != self.kernel_size or patches.dim() != 2 + len(self.kernel_size):
        return type(self).forward(self, patches)
    found = linear(patches.flatten(1), self.weight.flatten(1), self.bias)
    return found.unflatten(1, (-1, *[1] * len(self.kernel_size)))


def _sizes(setting: str | tuple[int, ...]) -> tuple[int, ...]:
    """The sizes of a setting; ``"same"`` counts as padding."""
    return {"valid": (0,), "same": (1,)}[setting] if isinstance(setting, str) else setting


def store_for_narrow_steps(decoder: nn.Module) -> int:
    """Stores the linear weights of ``decoder`` input by output, if they are float32 on a CPU; returns how many were
    changed.

    Shapes and values stay the same, only strides change. A weight shared with the embedding is not changed.
    """
    table = {id(module.weight) for module in decoder.modules() if isinstance(module, nn.Embedding)}
    stored = 0
    for module in decoder.modules():
        if not isinstance(module, nn.Linear) or id(module.weight) in table:
            continue
        weight = module.weight
        if weight.device.type == "cpu" and weight.dtype == torch.float32 and weight.numel() <= LARGEST:
            weight.data = weight.data.t().contiguous().t()
            stored += 1
    return stored
