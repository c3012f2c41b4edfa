"""Estimates the memory of a checkpoint before it is loaded, from its small files and the headers of its weights.

``needs 5.1 GiB for weights, 1.2 GiB for keys and values at 8 rows; 4.0 GiB are free`` is reported before memory runs
out, which on a CPU would end the process without a message.

Weights are quantised to 8 or 4 bits by transformers' integration of bitsandbytes, where each token is computed
independently, so that a tree's tokens get the same numbers as one by one: 8-bit weights are used without the outlier
columns of LLM.int8, which are chosen over all tokens of a step; 4-bit weights are dequantised before they are
multiplied.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docspec.core import ModelError
from docspec.core.choices import Quantize
from docspec.core.container import memory_room
from docspec.targets.validation import read_object

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
            f"quantize {quantize} needs bitsandbytes and accelerate; run: pip install bitsandbytes accelerate"
        )
    from transformers import BitsAndBytesConfig

    if quantize == "int8":
        config = BitsAndBytesConfig(load_in_8bit=True, llm_int8_threshold=0.0)
    else:
        config = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype)
    return {"quantization_config": config, "device_map": {"": device}}


ITEM_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
QUANTISED: dict[str, float] = {"F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1, "I8": 1, "U8": 1, "I32": 4}
"""Bytes per number in the safetensors types of quantised weights and their scales."""

PIECES = (32768, 16384, 8192, 4096, 2048, 1024, 512, 256)
"""Prompt tokens per forward pass; fewer would leave much of a processor idle. A prompt that is read in one piece needs
no mask: causal kernels skip half of its products."""

UNKNOWN = 4096
"""Prompt tokens per forward pass if the free memory is unknown."""

TREE = 64
"""Tokens of a tree in the estimate: the default of ``max-tree``."""

PROMPT = 4096
"""Prompt tokens of a page in the estimate: A4 at 200 dpi with 32-pixel tokens."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Bytes of all weights, of the keys and values of ``rows`` pages of ``slots`` tokens each, and of a layer's
    activations per prompt token."""

    weights: int
    keys_values: int
    rows: int
    slots: int
    prompt_token: int = 0

    @property
    def words(self) -> str:
        """The estimate as a sentence."""
        at = "1 row" if self.rows == 1 else f"{self.rows} rows"
        return (
            f"needs {gib(self.weights)} for weights, {gib(self.keys_values)} for keys and values at {at} of "
            f"{self.slots:,} tokens"
        )

    def piece(self, free: int | None) -> int:
        """Prompt tokens per forward pass of the decoder with ``free`` bytes: the largest of :data:`PIECES` whose
        activations take no more than half of what weights, keys and values leave."""
        if free is None:
            return UNKNOWN
        room = (free - self.weights - self.keys_values) / 2
        return next((piece for piece in PIECES if piece * self.prompt_token <= room), PIECES[-1])


def estimate(path: str, dtype: str, slots: int, rows: int = 1, quantize: Quantize = "none") -> Estimate:
    """The memory of the checkpoint in ``path`` with weights in ``dtype`` (a name in :data:`ITEM_BYTES`), and linear
    weights quantised by ``quantize``.

    Weights that are stored quantised (FP8 and the like) keep their size. Weights in other formats than safetensors
    count with their size on disk. Raises :class:`docspec.core.ModelError` if the files do not give the sizes.
    """
    item = ITEM_BYTES[dtype]
    config = read_object(Path(path) / "config.json")
    files = sorted(Path(path).glob("*.safetensors"))
    linear = BYTES.get(quantize, item)
    kept = _kept(config)
    weights = round(
        sum(
            math.prod(shape) * (kept.get(stored) or (linear if _is_linear(name, shape) else item))
            for file in files
            for name, (stored, shape) in stored_in(file).items()
        )
    )
    if not files:
        weights = sum(file.stat().st_size for file in Path(path).glob("pytorch_model*.bin"))
    keys_values = rows * (slots * _bytes_per_slot(config, item) + _bytes_of_states(config, item))
    return Estimate(weights, keys_values, rows, slots, bytes_per_prompt_token(config, item, slots))


def _kept(config: dict[str, Any]) -> dict[str, float]:
    """Bytes per number of the stored types that are loaded unchanged. Empty for a checkpoint that is not quantised, or
    is dequantised while it is loaded."""
    said = config.get("quantization_config")
    return {} if not isinstance(said, dict) or said.get("dequantize") else QUANTISED


def stored_in(file: Path) -> dict[str, tuple[str, list[int]]]:
    """The type and shape of each tensor in a safetensors file, by its header (a length of 8 bytes, and JSON of that
    length)."""
    try:
        with file.open("rb") as stream:
            header = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
        entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
        found = {name: (str(entry["dtype"]), entry["shape"]) for name, entry in entries.items()}
        sum(math.prod(shape) for _, shape in found.values())
        return found
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, MemoryError) as error:
        raise ModelError(f"{file} cannot be loaded: it is no whole safetensors file; fetch the model again") from error


def _is_linear(name: str, shape: list[int]) -> bool:
    """Whether quantisation applies to a weight: it belongs to a linear layer other than embeddings and head."""
    return len(shape) == 2 and "embed" not in name and "lm_head" not in name


def _bytes_per_slot(config: dict[str, Any], item: int) -> int:
    text = _text(config)
    _, kv_heads, width = _heads(text)
    return int(((text.get("num_hidden_layers") or 0) - _recurrent(text)) * 2 * kv_heads * width * item)


def _recurrent(text: dict[str, Any]) -> int:
    """The number of layers with a state instead of keys and values."""
    kinds, interval = text.get("layer_types"), text.get("full_attention_interval") or 4
    if kinds is not None:
        return int(sum(kind == "linear_attention" for kind in kinds))
    layers = text.get("num_hidden_layers") or 0
    return int(layers - layers // interval) if "linear_num_value_heads" in text else 0


def _bytes_of_states(config: dict[str, Any], item: int) -> int:
    """Bytes of one row's states in float32, of its convolutions' past inputs, and of the log for a tree of :data:`TREE`
    tokens."""
    text = _text(config)
    layers = _recurrent(text)
    if not layers:
        return 0
    keys = text["linear_num_key_heads"] * text["linear_key_head_dim"]
    values = text["linear_num_value_heads"] * text["linear_value_head_dim"]
    heads, key_dim, channels = text["linear_num_value_heads"], text["linear_key_head_dim"], 2 * keys + values
    window = text.get("linear_conv_kernel_dim", 4) - 1
    kept = 4 * values * key_dim + item * window * channels
    node = 4 * (heads * (1 + key_dim) + values) + item * channels
    return int(layers * (kept + TREE * node))


def bytes_per_prompt_token(config: dict[str, Any], item: int, slots: int) -> int:
    """Bytes at a layer's peak: four hidden states, and either gate, up, their product and a copy of the inner layer, or
    queries, keys and values with their rotated copies and masks over all ``slots``."""
    text = _text(config)
    heads, kv_heads, width = _heads(text)
    hidden, inner = text.get("hidden_size") or 0, text.get("intermediate_size") or 0
    if experts := text.get("num_experts_per_tok"):
        inner = max(inner, experts * (text.get("moe_intermediate_size") or inner) + experts * hidden)
    return int(item * (4 * hidden + max(4 * inner, 3 * (heads + 2 * kv_heads) * width + 2 * slots)))


def _text(config: dict[str, Any]) -> dict[str, Any]:
    return config.get("text_config") or config.get("language_config") or config.get("llm_config") or config


def _heads(text: dict[str, Any]) -> tuple[int, int, int]:
    """Query heads, key heads and the head dimension; zeros if the configuration does not have them."""
    heads = text.get("num_attention_heads")
    if not heads:
        return 0, 0, 0
    width = text.get("head_dim") or text.get("hidden_size", 0) // heads
    return heads, text.get("num_key_value_heads") or heads, width


def free_memory(device: Any) -> int | None:
    """Free bytes on a ``torch.device`` (on a CPU including swap and within a container's limit); ``None`` if
    unknown."""
    if device.type == "meta":
        return None
    if device.type != "cpu":
        import torch

        told = getattr(torch.get_device_module(device), "mem_get_info", None)
        return None if told is None else int(told(device)[0])
    return free_ram()


def free_ram() -> int | None:
    """Free bytes of memory on this machine, including swap and within a container's limit; ``None`` if unknown."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        facts = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines if line.endswith("kB")}
        free = facts["MemAvailable"] + facts.get("SwapFree", 0)
    except (OSError, ValueError, KeyError, IndexError):
        return None
    allowed = memory_room()
    return free if allowed is None else min(free, allowed)


def check_room(name: str, wanted: Estimate, free: int | None) -> str:
    """A remark if the weights fit but long pages may not; empty if everything fits.

    Raises :class:`docspec.core.ModelError` if the weights do not fit.
    """
    if free is None or wanted.weights + wanted.keys_values <= free:
        return ""
    line = f"{name} {wanted.words}; {gib(free)} are free"
    if wanted.weights > free:
        raise ModelError(
            f"{line}: it cannot be loaded here; close other programs, take --dtype bfloat16 or a smaller model"
        )
    return f"{line}: long pages may not fit; --max-tokens or kv-memory bounds them"


def gib(size: float) -> str:
    """A number of bytes as text."""
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 / 10 else f"{size / 2**20:.1f} MiB"
