"""Checks the small files of a checkpoint once when it is loaded; errors name the file and the field. Adapters beside
the weights, which nothing here would apply, and pointers of Git LFS are errors, too.

Only fields that docspec or transformers computes with are checked, and only if they are present: optional and further
fields are left to the classes that read the file. Rules are tables rather than pydantic models: nearly all fields
belong to another project and may be missing, and a message says in words what to write.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docspec.core import ModelError
from docspec.core.safe_text import first_line

ADAPTER = "adapter_config.json"
"""The configuration of an adapter as ``peft`` saves it."""

POINTER = b"version https://git-lfs.github.com/spec/"
"""How a pointer of Git LFS begins."""

SUFFIXES = (".json", ".jinja", ".model", ".txt", ".tiktoken", ".safetensors", ".bin", ".gguf", ".py")


def check_files(directory: Path) -> None:
    """Raises :class:`docspec.core.ModelError` for a folder with an adapter, which nothing here would apply: pages would
    be read by the model as it was before it was tuned. Raises it for a pointer of Git LFS, too."""
    if (directory / ADAPTER).is_file():
        raise ModelError(
            f"{directory / ADAPTER}: adapters are not applied here; merge this one into the weights"
            " (peft: merge_and_unload, then save_pretrained into another folder), or take the file away"
        )
    for file in sorted(directory.iterdir()):
        if file.suffix in SUFFIXES and file.is_file() and file.stat().st_size < 1024:
            with file.open("rb") as stream:
                if stream.read(len(POINTER)) == POINTER:
                    raise ModelError(f"{file} is a pointer of Git LFS and not the file; run: git lfs pull")


MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition on a value, in words and as a test."""

    words: str
    holds: Callable[[Any], bool]


def whole(least: int = 1, most: int = MOST) -> Rule:
    """An integer from ``least`` to ``most``; ``true`` does not count."""
    return Rule(f"a whole number from {least} to {most}", lambda value: type(value) is int and least <= value <= most)


def number(least: float = 0.0, most: float = 1e30) -> Rule:
    """A finite number above ``least``, up to ``most``."""
    return Rule(
        f"a number above {least:g}, up to {most:g}",
        lambda value: type(value) in (int, float) and math.isfinite(value) and least < value <= most,
    )


def one_of(choices: Iterable[str]) -> Rule:
    """The value is one of these strings."""
    known = tuple(choices)
    return Rule(f"one of {', '.join(known)}", lambda value: isinstance(value, str) and value in known)


def three(rule: Rule) -> Rule:
    """One value for each colour."""
    return Rule(
        f"three times {rule.words}",
        lambda value: isinstance(value, list) and len(value) == 3 and all(map(rule.holds, value)),
    )


def optional(rule: Rule) -> Rule:
    """The value is null or as ``rule`` has it."""
    return Rule(f"{rule.words}, or null", lambda value: value is None or rule.holds(value))


TEXT = Rule("text", lambda value: isinstance(value, str))
FLAG = Rule("true or false", lambda value: isinstance(value, bool))
OBJECT = Rule("an object", lambda value: isinstance(value, dict))
_TOKEN = whole(0)
TOKENS = Rule(
    "a token id or a list of them",
    lambda value: _TOKEN.holds(value) or (isinstance(value, list) and all(map(_TOKEN.holds, value))),
)

_EDGE = whole(1, 1024)
EDGES = Rule(
    "a whole number from 1 to 1024, or one for height and one for width",
    lambda value: all(map(_EDGE.holds, _values(value))),
)


def _values(value: Any) -> list[Any]:
    """Height and width of a size that may be a single number."""
    if isinstance(value, dict):
        return [value.get("height"), value.get("width")]
    return value if isinstance(value, list) and len(value) == 2 else [value]


def _is_image_processor(name: Any) -> bool:
    """Whether transformers has an image processor of that name, with any of its suffixes."""
    from transformers.models.auto.auto_mappings import IMAGE_PROCESSOR_MAPPING_NAMES

    known = {cls for kinds in IMAGE_PROCESSOR_MAPPING_NAMES.values() for cls in kinds.values()}
    return isinstance(name, str) and name.removesuffix("Fast").removesuffix("Pil") in known


_SIZES = dict.fromkeys(
    (
        "vocab_size",
        "hidden_size",
        "intermediate_size",
        "num_attention_heads",
        "num_heads",
        "max_position_embeddings",
        "spatial_merge_size",
        "temporal_patch_size",
        "out_hidden_size",
        "embed_dim",
        "num_position_embeddings",
        "num_channels",
        "in_channels",
    ),
    whole(),
)
MODEL = {
    **_SIZES,
    "patch_size": EDGES,
    "num_hidden_layers": whole(1, 1000),
    "depth": whole(1, 1000),
    "num_key_value_heads": optional(whole()),
    "head_dim": optional(whole()),
    "rms_norm_eps": number(),
    "rope_theta": number(),
    "image_token_id": whole(0),
    "eos_token_id": optional(TOKENS),
    "tie_word_embeddings": FLAG,
    "use_sliding_window": FLAG,
    "sliding_window": optional(whole()),
    "max_window_layers": whole(0),
    "text_config": OBJECT,
    "vision_config": OBJECT,
}
"""Fields of ``config.json``, of its ``text_config`` and its ``vision_config``."""

IMAGES = {
    "image_processor_type": Rule("the name of an image processor of transformers", _is_image_processor),
    "patch_size": EDGES,
    "merge_size": whole(1, 64),
    "temporal_patch_size": whole(1, 64),
    "min_pixels": optional(whole()),
    "max_pixels": optional(whole()),
    "size": optional(OBJECT),
    "image_mean": three(number(-1e6, 1e6)),
    "image_std": three(number(0, 1e6)),
    "rescale_factor": number(),
    "resample": whole(0, 5),
    **dict.fromkeys(("do_resize", "do_rescale", "do_normalize", "do_convert_rgb"), FLAG),
}
"""Fields of ``preprocessor_config.json``."""

GENERATION = {"eos_token_id": optional(TOKENS)}
PROCESSOR = {"chat_template": optional(Rule("text or an object", lambda said: isinstance(said, str | dict)))}


def read_object(file: Path) -> dict[str, Any]:
    """The JSON object in ``file``; raises :class:`docspec.core.ModelError` in one line."""
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{file} is not readable JSON ({first_line(error)}); correct or remove it") from error
    if not isinstance(values, dict):
        raise ModelError(f"{file} holds no JSON object; fetch the published one")
    return values


def check_fields(file: Path, values: Mapping[str, Any], rules: Mapping[str, Rule], within: str = "") -> None:
    """Raises :class:`docspec.core.ModelError` for the first field of ``values`` that violates its rule."""
    for name, rule in rules.items():
        if name in values and not rule.holds(values[name]):
            shown = json.dumps(values[name], ensure_ascii=False, default=str)
            shown = shown if len(shown) <= 40 else shown[:37] + "..."
            raise ModelError(f"{file}: {within}{name} is {shown}; it must be {rule.words}")


def check_checkpoint(path: str) -> None:
    """Checks the configuration, generation, processor and tokenizer files of the model in ``path``, and that they
    match.

    Raises :class:`docspec.core.ModelError` in one line that names file and field.
    """
    directory = Path(path)
    config = _checked(directory / "config.json", MODEL)
    vision = config.get("vision_config") or {}
    text = config.get("text_config") or config
    for name, part in (("text_config.", text), ("vision_config.", vision)):
        if part is not config:
            check_fields(directory / "config.json", part, MODEL, name)
    _check_heads(directory / "config.json", text)
    _check_image_token(directory / "config.json", config, text)
    _checked(directory / "generation_config.json", GENERATION)
    _checked(directory / "processor_config.json", PROCESSOR)
    _checked(directory / "chat_template.json", PROCESSOR)
    _checked(directory / "tokenizer_config.json", {})
    _check_images(directory / "preprocessor_config.json", vision)


def _checked(file: Path, rules: Mapping[str, Rule]) -> dict[str, Any]:
    """The content of ``file``; empty if it does not exist."""
    if not file.is_file():
        return {}
    values = read_object(file)
    check_fields(file, values, rules)
    return values


def _check_heads(file: Path, text: Mapping[str, Any]) -> None:
    heads = text.get("num_attention_heads")
    shared = text.get("num_key_value_heads")
    if heads and shared and heads % shared:
        raise ModelError(f"{file}: num_key_value_heads is {shared}; it must divide {heads} attention heads")


def _check_image_token(file: Path, config: Mapping[str, Any], text: Mapping[str, Any]) -> None:
    token, vocabulary = config.get("image_token_id"), text.get("vocab_size")
    if token is not None and vocabulary is not None and token >= vocabulary:
        raise ModelError(f"{file}: image_token_id is {token}; it must be below vocab_size {vocabulary}")


def _check_images(file: Path, vision: Mapping[str, Any]) -> None:
    """Checks the image processor's numbers, which must equal the vision tower's where both have them."""
    values = _checked(file, IMAGES)
    size = values.get("size") or {}
    edges = dict.fromkeys(("shortest_edge", "longest_edge", "min_pixels", "max_pixels"), whole())
    check_fields(file, size, edges, "size.")
    least = values.get("min_pixels") or size.get("shortest_edge") or 1
    most = values.get("max_pixels") or size.get("longest_edge") or MOST
    if least > most:
        raise ModelError(f"{file}: min_pixels is {least}; it must not be above max_pixels {most}")
    for name, theirs in (
        ("patch_size", "patch_size"),
        ("merge_size", "spatial_merge_size"),
        ("temporal_patch_size", "temporal_patch_size"),
    ):
        said, of_tower = values.get(name), vision.get(theirs)
        if type(said) is type(of_tower) is int and said != of_tower:
            raise ModelError(
                f"{file}: {name} is {values[name]}; config.json says {vision[theirs]} (vision_config.{theirs})"
            )
