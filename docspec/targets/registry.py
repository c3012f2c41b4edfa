"""From a model name to a target that is ready to verify: where it lies, which family it is, how it is asked.

A name is a local directory, a hub name, or ``mini`` for the bundled reader. The family is read from the
checkpoint's ``config.json``; a new one needs one entry in ``FAMILIES``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docspec.core import ModelError, ParseOptions, UsageError
from docspec.core.bars import without_bars
from docspec.core.safe_text import first_line
from docspec.targets.card import TargetCard
from docspec.targets.processing import check_torchvision
from docspec.targets.validation import check_checkpoint, read_object

if TYPE_CHECKING:
    import torch

    from docspec.targets.adapter import TransformersTarget

BUNDLED = Path(__file__).parent.parent / "reader" / "mini"
"""Directory of the bundled reader's checkpoint."""

_HUB_FILES = ["*.json", "*.safetensors", "*.txt", "*.jinja", "*.model"]


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """What a report says of the target. ``random``: the weights were never trained, so the text means nothing.
    ``generation`` says where the published configuration decodes otherwise than docspec.
    """

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
    processing: str = ""
    """What makes the images' pixels: ``torchvision``, or ``pil`` with the reason why it is not that."""
    left_out: tuple[str, ...] = ()
    """Weights of the checkpoint that the model's class has no place for."""
    generation: tuple[str, ...] = ()
    """Where the published configuration decodes otherwise than docspec."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What users should be told of this target, one line each."""
        lines = [
            f"model: {self.name} on {self.device}, {self.dtype}" + (f" ({self.note})" if self.note else "")
        ]
        if self.left_out:
            lines.append(
                f"{self.name}: {len(self.left_out)} weights of the checkpoint are not part of {self.model_type} and "
                f"were left out, the first is {self.left_out[0]}"
            )
        return (*lines, *(f"model: {line}" for line in self.generation))


@dataclass(frozen=True, slots=True)
class LoadedTarget:
    """A target with its description."""

    target: TransformersTarget
    info: TargetInfo

    @property
    def card(self) -> TargetCard:
        """What the checkpoint says of itself."""
        return self.target.card


@dataclass(frozen=True, slots=True)
class Family:
    """How checkpoints of one ``model_type`` are loaded: to a target and the names of the weights left out."""

    card: TargetCard
    load: Callable[[str, dict[str, Any]], tuple[TransformersTarget, tuple[str, ...]]]


def _load_qwen3_vl(path: str, settings: dict[str, Any]) -> tuple[TransformersTarget, tuple[str, ...]]:
    from transformers import Qwen3VLForConditionalGeneration

    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.qwen_processing import QwenProcessing

    model, left_out = _from_pretrained(Qwen3VLForConditionalGeneration, path, settings)
    processing = QwenProcessing.from_pretrained(path, model.config.image_token_id)
    eos_ids = _eos_ids(model, processing.tokenizer)
    return TransformersTarget(model, processing, rope_axes=3, eos_ids=eos_ids), left_out


def _load_dots_ocr(path: str, settings: dict[str, Any]) -> tuple[TransformersTarget, tuple[str, ...]]:
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.dots_ocr.modeling import DotsOCRForCausalLM
    from docspec.targets.dots_ocr.processing import DotsOCRProcessing

    model, left_out = _from_pretrained(DotsOCRForCausalLM, path, settings)
    processing = DotsOCRProcessing.from_pretrained(path)
    target = TransformersTarget(model, processing, rope_axes=1, eos_ids=frozenset(processing.eos_ids))
    return target, left_out


FAMILIES: dict[str, Family] = {
    "qwen3_vl": Family(TargetCard("markdown"), _load_qwen3_vl),
    "dots_ocr": Family(TargetCard("layout-json", max_new_tokens=24000, image_dpi=200.0), _load_dots_ocr),
}
"""Families by the ``model_type`` of their ``config.json``."""


def load_target(options: ParseOptions) -> LoadedTarget:
    """Loads what ``options.model`` names, on the device and in the precision asked for.

    Raises :class:`docspec.core.ModelError` with one line that names the model and the ways out.
    """
    path = locate(options.model, options.offline)
    model_type = model_type_of(options.model, path)
    family = FAMILIES.get(model_type)
    if family is None:
        raise ModelError(
            f"{options.model}: models of type '{model_type}' are not supported; supported are "
            + ", ".join(sorted(FAMILIES))
        )
    card = family.card.overridden_by(path)
    check_checkpoint(path)
    check_torchvision()
    from docspec.targets.generation import ban_of, notes_of, rules_of
    from docspec.targets.stepping.choice import make_steps

    device = pick_device(options.device)
    dtype = pick_dtype(options.dtype, device)
    settings = {"dtype": dtype, "device": device, "attn_implementation": _attention(options.attention)}
    try:
        target, left_out = family.load(path, settings)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{path} cannot be loaded as {model_type}: {first_line(error)}") from error
    target.card = card
    target.steps = make_steps(target, options.graphs)
    published, vocab = target.model.generation_config, target.model.config.get_text_config().vocab_size
    target.rules = rules_of(published, target.eos_ids, vocab, ban_of(card.no_repeat_ngrams))
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
        processing=target.processing.backend,
        left_out=left_out,
        generation=notes_of(published),
    )
    return LoadedTarget(target, info)


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
            "it is not in the local cache and --offline forbids fetching it" if offline else first_line(error)
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
    return str(read_object(config).get("model_type", "unknown"))


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
        raise UsageError(f"--device {wanted}: unknown; use auto, cpu, cuda, cuda:N or mps") from error
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


def _from_pretrained(cls: Any, path: str, settings: dict[str, Any]) -> tuple[Any, tuple[str, ...]]:
    """The model of class ``cls`` in ``path`` with every weight it needs, and the names of the weights it has no use
    for."""
    from transformers.utils import logging

    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # its table of weights is said in a line here
    settings = dict(settings)
    device = settings.pop("device")
    try:
        with without_bars():
            model, loading = cls.from_pretrained(
                path,
                local_files_only=True,
                output_loading_info=True,
                ignore_mismatched_sizes=True,  # they are told with the missing ones
                **settings,
            )
    except Exception as error:
        raise ModelError(f"{path} cannot be loaded as {cls.__name__}: {first_line(error)}") from error
    finally:
        logging.set_verbosity(verbosity)
    absent = sorted(loading["missing_keys"]) + sorted(key[0] for key in loading["mismatched_keys"])
    if absent:
        raise ModelError(
            f"{path} is not a complete {cls.__name__}: {len(absent)} weights are missing or of another shape, "
            f"the first is {absent[0]}"
        )
    return model.to(device), tuple(sorted(loading["unexpected_keys"]))


def _eos_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    """Every token that ends generation, from the generation configuration and the tokenizer."""
    said = model.generation_config.eos_token_id
    ids = {said} if isinstance(said, int) else set(said or ())
    if tokenizer.eos_token_id is not None and not ids:
        ids.add(tokenizer.eos_token_id)
    return frozenset(ids)
