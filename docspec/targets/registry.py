"""Loads a target by a model's name: finds its directory, its family and its profile.

A name is a local directory, a hub name, or ``mini`` for the bundled reader. The family is read from the checkpoint's
``config.json``; :mod:`docspec.targets.families` has those that are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docspec.core import ModelError, ParseOptions, UsageError
from docspec.core.extras import require_local
from docspec.core.safe_text import first_line
from docspec.targets.estimate import PROMPT, check_room, estimate, free_memory
from docspec.targets.families import family_of
from docspec.targets.family import Family
from docspec.targets.model_profile import ModelProfile
from docspec.targets.processing import check_torchvision
from docspec.targets.validation import check_checkpoint, check_files, read_object

if TYPE_CHECKING:
    import torch

    from docspec.targets.adapter import TransformersTarget

BUNDLED = Path(__file__).parent.parent / "reader" / "mini"
"""The checkpoint of the bundled reader."""

HUB_FILES = ["*.json", "*.safetensors", "*.txt", "*.jinja", "*.model"]
"""The files of a published model that are downloaded."""


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """The description of a target in reports. ``random``: the weights were never trained, so the text has no
    meaning."""

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
    """The library that processes images: ``torchvision``, or ``pil`` with the reason."""
    left_out: tuple[str, ...] = ()
    """Weights of the checkpoint that the model's class does not use."""
    generation: tuple[str, ...] = ()
    """How the published configuration decodes differently from docspec."""
    tightness: str = ""
    """A remark if memory may not be enough for long pages."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks for users about this target, one line each."""
        lines = [f"model: {self.name} on {self.device}, {self.dtype}" + (f" ({self.note})" if self.note else "")]
        if self.left_out:
            lines.append(
                f"{self.name}: {len(self.left_out)} weights of the checkpoint are not part of {self.model_type} and "
                f"were left out, the first is {self.left_out[0]}"
            )
        lines += [f"memory: {self.tightness}"] * bool(self.tightness)
        return (*lines, *(f"model: {line}" for line in self.generation))


@dataclass(frozen=True, slots=True)
class LoadedTarget:
    """A target and its description."""

    target: TransformersTarget
    info: TargetInfo

    @property
    def card(self) -> ModelProfile:
        return self.target.card


def load_target(options: ParseOptions) -> LoadedTarget:
    """Loads the model ``options.model`` on the device and in the precision of ``options``.

    Raises :class:`docspec.core.ModelError` with one line that names the model and the ways out.
    """
    require_local(f"running {options.model} here")
    path = locate(options.model, options.offline)
    model_type, known, family, card = _described(options, path)
    from docspec.targets.tree_check import check_trees

    check_checkpoint(path)
    check_torchvision()
    from docspec.targets.loading import ban_of, load_family, notes_of, rules_of
    from docspec.targets.stepping.choice import make_steps

    device = pick_device(options.device)
    dtype = pick_dtype(options.dtype, device)
    name = "mini" if Path(path) == BUNDLED else options.model
    slots = PROMPT + (options.max_tokens or card.max_new_tokens) + options.max_tree
    wanted = estimate(path, str(dtype).removeprefix("torch."), slots, options.in_flight, options.quantize)
    free = free_memory(device)
    tightness = check_room(name, wanted, free)
    target, left_out = load_family(family, path, dtype, device, options.attention, options.quantize)
    if known is None:
        check_trees(target)
    target.card = card
    target.piece = wanted.piece(free)
    target.steps = make_steps(target, options.graphs)
    if target.steps.report.mode != "eager":
        _reserve(target, options.in_flight, slots)
    published, vocab = target.model.generation_config, target.model.config.get_text_config().vocab_size
    target.rules = rules_of(published, target.eos_ids, vocab, ban_of(card.no_repeat_ngrams))
    info = TargetInfo(
        name=name,
        path=path,
        model_type=model_type,
        dialect=card.dialect,
        device=str(target.kv_spec.device),
        dtype=str(dtype).removeprefix("torch."),
        attention=target.attention.removeprefix("docspec_"),
        parameters=sum(parameter.numel() for parameter in target.model.parameters()),
        random=card.random,
        note="; ".join(filter(None, (card.note, _stored(options.quantize)))),
        processing=target.processing.backend,
        left_out=left_out,
        generation=notes_of(published),
        tightness=tightness,
    )
    return LoadedTarget(target, info)


def _reserve(target: TransformersTarget, rows: int, slots: int) -> None:
    """Allocates the keys and values of so many pages at once, or half of the free memory: steps captured over the
    storage are lost when it grows."""
    rows, slots = target.steps.geometry(rows, slots)
    free = free_memory(target.kv_spec.device)
    most = rows * (slots + 1)
    target.kv.reserve(most if free is None else min(most, free // 2 // target.kv_spec.bytes_per_slot()))


def card_of(options: ParseOptions) -> ModelProfile:
    """The card of the model ``options.model``, without loading it; raises :class:`docspec.core.ModelError`."""
    return _described(options, locate(options.model, options.offline))[3]


def _described(options: ParseOptions, path: str) -> tuple[str, Family | None, Family, ModelProfile]:
    """The checkpoint in ``path``: its type, its family if it is known, the family to load it by, and its card."""
    check_files(Path(path))
    model_type = model_type_of(options.model, path)
    known = family = family_of(read_object(Path(path) / "config.json"))
    if family is None:
        require_local(f"a model of type '{model_type}', which no family here describes,")
        from docspec.targets.tree_check import unknown_family

        family = unknown_family(options.model, model_type, path, options)
    card = family.card_of(options.model, path).overridden_by(path).asked(options.dialect, options.prompt)
    return model_type, known, family, card


def _stored(quantize: str) -> str:
    return "" if quantize == "none" else f"linear weights in {quantize}"


def locate(name: str, offline: bool = False) -> str:
    """The local directory of the model ``name``, downloaded from the hub if necessary and allowed."""
    if name in ("auto", "mini"):
        if not (BUNDLED / "config.json").is_file():
            raise ModelError(
                "the bundled reader's weights are not part of this installation; name a model with --model "
                "(a local directory or a hub name such as rednote-hilab/dots.ocr)"
            )
        return str(BUNDLED)
    if Path(name).expanduser().is_dir():
        return str(Path(name).expanduser())
    repository, revision = split_revision(name)
    if name.startswith((".", "/", "~")) or repository.count("/") != 1:
        raise ModelError(f"{name}: no such directory, and not a hub name of the form owner/model")
    return _from_hub(name, repository, revision, offline)


def split_revision(name: str) -> tuple[str, str | None]:
    """Hub name and revision (commit, tag or branch) of ``owner/model@revision``; ``None`` for the newest."""
    repository, _, revision = name.partition("@")
    return repository, revision or None


def _from_hub(name: str, repository: str, revision: str | None, offline: bool) -> str:
    from huggingface_hub import snapshot_download

    try:
        return str(snapshot_download(repository, revision=revision, allow_patterns=HUB_FILES, local_files_only=offline))
    except Exception as error:
        why = "it is not in the local cache and --offline forbids fetching it" if offline else first_line(error)
        raise ModelError(
            f"{name} cannot be had: {why}; pass a local directory with --model, fetch it once while online, "
            "or use the bundled reader (--model mini)"
        ) from error


def model_type_of(name: str, path: str) -> str:
    """The ``model_type`` in ``config.json`` of the model ``name`` in the folder ``path``. Raises
    :class:`docspec.core.ModelError` if it holds no configuration or no weights."""
    where = name if name == path else f"{name}: {path}"
    config = Path(path) / "config.json"
    if not config.is_file():
        raise ModelError(f"{where} holds no config.json, so it is not a model directory")
    if not any(Path(path).glob("*.safetensors")) and not any(Path(path).glob("pytorch_model*.bin")):
        raise ModelError(f"{where} holds no weights (*.safetensors); fetch the model again")
    return str(read_object(config).get("model_type", "unknown"))


def pick_device(wanted: str) -> torch.device:
    """The device for ``auto``, ``cpu``, ``cuda``, ``cuda:N`` or ``mps``; raises ``ModelError`` if it does not exist."""
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
    """The precision; ``auto`` is float32 on a CPU (identical results for all batch shapes) and bfloat16 or float16 on
    accelerators."""
    import torch

    if wanted == "auto":
        return {"cpu": torch.float32, "mps": torch.float16}.get(device.type, torch.bfloat16)
    return getattr(torch, wanted)
