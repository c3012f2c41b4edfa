"""Keeps the image grids on the host, where the model's code needs them.

Towers related to Qwen's split their tokens by image with ``cu_seqlens.tolist()``, three times per layer, and compute
positions from the grid number by number. On an accelerator each of these waits for all launched work. transformers
accepts precomputed tensors under their own names (``transformers.vision_utils``).
"""

from __future__ import annotations

import inspect
from typing import Any

from torch import nn
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
