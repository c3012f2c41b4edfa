"""From a model name to a target that is ready to verify: where it lies, which family it is, how it is asked.

A name is a local directory, a hub name, or ``mini`` for the bundled reader. The family is read from the
checkpoint's ``config.json``; a new one needs one entry in ``FAMILIES``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docspec.core import ModelError, ParseOptions
from docspec.targets.card import TargetCard

if TYPE_CHECKING:
    import torch

    from docspec.targets.adapter import TransformersTarget

BUNDLED = Path(__file__).parent.parent / "reader" / "mini"
"""Directory of the bundled reader's checkpoint."""

_HUB_FILES = ["*.json", "*.safetensors", "*.txt", "*.jinja", "*.model"]


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """What a report says of the target. ``random``: the weights were never trained, so the text means nothing."""

    name: str
    path: str
    model_type: str
    dialect: str
    device: str
    dtype: str
    attention: str
    parameters: int
    random: bool
    note: str


@dataclass(frozen=True, slots=True)
class LoadedTarget:
    """A target with its card and its description."""

    target: TransformersTarget
    card: TargetCard
    info: TargetInfo


@dataclass(frozen=True, slots=True)
class Family:
    """How checkpoints of one ``model_type`` are loaded."""

    card: TargetCard
    load: Callable[[str, dict[str, Any]], TransformersTarget]


def _load_qwen3_vl(path: str, settings: dict[str, Any]) -> TransformersTarget:
    from transformers import Qwen3VLForConditionalGeneration

    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.qwen_processing import QwenProcessing

    model = _from_pretrained(Qwen3VLForConditionalGeneration, path, settings)
    processing = QwenProcessing.from_pretrained(path, model.config.image_token_id, local_files_only=True)
    return TransformersTarget(model, processing, rope_axes=3, eos_ids=_eos_ids(model, processing.tokenizer))


def _load_dots_ocr(path: str, settings: dict[str, Any]) -> TransformersTarget:
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.dots_ocr.modeling import DotsOCRForCausalLM
    from docspec.targets.dots_ocr.processing import DotsOCRProcessing

    model = _from_pretrained(DotsOCRForCausalLM, path, settings)
    processing = DotsOCRProcessing.from_pretrained(path)
    return TransformersTarget(model, processing, rope_axes=1, eos_ids=frozenset(processing.eos_ids))


FAMILIES: dict[str, Family] = {
    "qwen3_vl": Family(TargetCard("markdown"), _load_qwen3_vl),
    "dots_ocr": Family(TargetCard("layout-json", max_new_tokens=24000), _load_dots_ocr),
}
"""Families by the ``model_type`` of their ``config.json``."""


def load_target(options: ParseOptions) -> LoadedTarget:
    """Loads what ``options.model`` names, on the device and in the precision asked for.

    Raises :class:`docspec.core.ModelError` with one line that names the model and the ways out.
    """
    from docspec.targets.stepping.choice import make_steps

    path = locate(options.model, options.offline)
    model_type = model_type_of(options.model, path)
    family = FAMILIES.get(model_type)
    if family is None:
        raise ModelError(
            f"{options.model}: models of type '{model_type}' are not supported; supported are "
            + ", ".join(sorted(FAMILIES))
        )
    card = family.card.overridden_by(path)
    device = pick_device(options.device)
    dtype = pick_dtype(options.dtype, device)
    target = family.load(
        path, {"dtype": dtype, "device": device, "attn_implementation": _attention(options.attention)}
    )
    target.steps = make_steps(target, options.graphs)
    info = TargetInfo(
        name="mini" if Path(path) == BUNDLED else options.model,
        path=path,
        model_type=model_type,
        dialect=card.dialect,
        device=str(target.kv_spec.device),
        dtype=str(dtype).removeprefix("torch."),
        attention=target.attention.removeprefix("docspec_"),
        parameters=sum(parameter.numel() for parameter in target.model.parameters()),
        random=card.random,
        note=card.note,
    )
    return LoadedTarget(target, card, info)


def _attention(wanted: str) -> str | dict[str, str]:
    """``auto`` folds query groups in the decoder and leaves the vision tower to sdpa."""
    if wanted != "auto":
        return wanted
    from docspec.targets.attention import default_attention

    return default_attention()


def locate(name: str, offline: bool = False) -> str:
    """The local directory of the model ``name``, fetched from the hub if it has to be and may be."""
    if name in ("auto", "mini"):
        if not (BUNDLED / "config.json").is_file():
            raise ModelError(
                "the bundled reader's weights are not part of this installation; name a model with --model "
                "(a local directory or a hub name such as rednote-hilab/dots.ocr)"
            )
        return str(BUNDLED)
    if Path(name).expanduser().is_dir():
        return str(Path(name).expanduser())
    if name.startswith((".", "/", "~")) or name.count("/") != 1:
        raise ModelError(f"{name}: no such directory, and not a hub name of the form owner/model")
    return _from_hub(name, offline)


def _from_hub(name: str, offline: bool) -> str:
    from huggingface_hub import snapshot_download

    try:
        return str(snapshot_download(name, allow_patterns=_HUB_FILES, local_files_only=offline))
    except Exception as error:
        why = (
            "it is not in the local cache and --offline forbids fetching it"
            if offline
            else _first_line(error)
        )
        raise ModelError(
            f"{name} cannot be had: {why}; pass a local directory with --model, fetch it once while online, "
            "or use the bundled reader (--model mini)"
        ) from error


def model_type_of(name: str, path: str) -> str:
    where = name if name == path else f"{name}: {path}"
    config = Path(path) / "config.json"
    if not config.is_file():
        raise ModelError(f"{where} holds no config.json, so it is not a model directory")
    if not any(Path(path).glob("*.safetensors")) and not any(Path(path).glob("pytorch_model*.bin")):
        raise ModelError(f"{where} holds no weights (*.safetensors); fetch the model again")
    try:
        return str(json.loads(config.read_text(encoding="utf-8")).get("model_type", "unknown"))
    except ValueError as error:
        raise ModelError(f"{name}: {config} is not valid JSON ({error})") from error


def pick_device(wanted: str) -> torch.device:
    """The device for ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``mps``; raises ``ModelError`` if it is absent."""
    import torch

    if wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(wanted)
    except RuntimeError as error:
        raise ModelError(f"unknown device '{wanted}'; use auto, cpu, cuda, cuda:N or mps") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ModelError(f"--device {wanted}: no CUDA device is usable here; use --device cpu")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ModelError(f"--device {wanted}: there are only {torch.cuda.device_count()} CUDA devices")
    if device.type == "mps" and not torch.backends.mps.is_available():
        raise ModelError(f"--device {wanted}: no Apple GPU is usable here; use --device cpu")
    return device


def pick_dtype(wanted: str, device: torch.device) -> torch.dtype:
    """``auto`` is float32 on CPU (bit-stable across batch shapes) and bfloat16 or float16 on accelerators."""
    import torch

    if wanted == "auto":
        return {"cpu": torch.float32, "mps": torch.float16}.get(device.type, torch.bfloat16)
    return getattr(torch, wanted)


def _from_pretrained(cls: Any, path: str, settings: dict[str, Any]) -> Any:
    """The model of class ``cls`` in ``path``, every weight accounted for."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    settings = dict(settings)
    device = settings.pop("device")
    try:
        model, loading = cls.from_pretrained(
            path, local_files_only=True, output_loading_info=True, **settings
        )
    except Exception as error:
        raise ModelError(f"{path} cannot be loaded as {cls.__name__}: {_first_line(error)}") from error
    absent = sorted(loading["missing_keys"]) + sorted(str(key) for key in loading["mismatched_keys"])
    if absent:
        raise ModelError(
            f"{path} is not a complete {cls.__name__}: {len(absent)} weights are missing or of another shape, "
            f"the first is {absent[0]}"
        )
    return model.to(device)


def _eos_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    """Every token that ends generation, from the generation configuration and the tokenizer."""
    said = model.generation_config.eos_token_id
    ids = {said} if isinstance(said, int) else set(said or ())
    if tokenizer.eos_token_id is not None and not ids:
        ids.add(tokenizer.eos_token_id)
    return frozenset(ids)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
