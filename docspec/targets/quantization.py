"""Weights in 8 or 4 bits by transformers' integration of bitsandbytes, where each token is computed independently.

A tree's tokens must get the same numbers as one by one. So 8-bit weights are used without the outlier columns of
LLM.int8, which are chosen over all tokens of a step; 4-bit weights are dequantised before they are multiplied.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from docspec.core import ModelError
from docspec.core.choices import Quantize

if TYPE_CHECKING:
    import torch

BYTES = {"int8": 1.0, "nf4": 0.53}
"""Bytes of one weight; nf4 includes a scale for every 64."""


def settings(quantize: Quantize, dtype: torch.dtype, device: torch.device) -> dict[str, Any]:
    """The arguments of ``from_pretrained`` that quantise weights and load them directly onto ``device``.

    Raises :class:`docspec.core.ModelError` if bitsandbytes or accelerate is missing.
    """
    has_accelerate = find_spec("accelerate") is not None
    if quantize == "none":
        # Without accelerate all weights pass through the host's memory, one copy of them in ``dtype``.
        return {"device_map": {"": device}} if has_accelerate and device.type != "cpu" else {}
    if find_spec("bitsandbytes") is None or not has_accelerate:
        raise ModelError(
            f"--quantize {quantize} needs bitsandbytes and accelerate; run: pip install bitsandbytes accelerate"
        )
    from transformers import BitsAndBytesConfig

    if quantize == "int8":
        config = BitsAndBytesConfig(load_in_8bit=True, llm_int8_threshold=0.0)
    else:
        config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype)
    return {"quantization_config": config, "device_map": {"": device}}
