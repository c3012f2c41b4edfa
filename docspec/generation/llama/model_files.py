"""A GGUF model on disk: its picture tower (mmproj), prompts, image sizes and memory.

Files written by ``docspec models convert`` have all of this in their metadata. The family of other files is found by
their names and by llama.cpp's name of their picture tower, and llama.cpp resizes their images.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docspec.core import ModelError, ParseOptions
from docspec.generation.llama.gguf import Header, read_header
from docspec.generation.llama.settings import LlamaSettings
from docspec.targets.estimate import PROMPT, gib
from docspec.targets.families import families
from docspec.targets.family import Family, PublishedSight
from docspec.targets.model_profile import ModelProfile
from docspec.targets.remote_model import FACTOR, RemoteModel, family_called

MODEL_TYPE, CARD, PIXELS, GENERATION = (
    f"docspec.{name}" for name in ("model_type", "card", "image_pixels", "generation")
)
"""Keys of docspec's metadata: ``model_type`` of ``config.json``, ``docspec.json``, the least and the most pixels of an
image, ``generation_config.json``."""

TOWERS = {
    "qwen2vl_merger": "qwen2_vl",
    "qwen2.5vl_merger": "qwen2_5_vl",
    "qwen3vl_merger": "qwen3_vl",
    "dots_ocr": "dots_ocr",
    "hunyuanvl": "hunyuan_vl",
    "lightonocr": "lighton_ocr",
    "paddleocr": "paddleocr_vl",
}
"""Families by llama.cpp's names of their picture towers; those that several families share are left out."""

RESIZED = ("qwen2vl_merger", "qwen2.5vl_merger", "qwen3vl_merger")
"""Towers whose images are resized here as their family's processor does it (bicubic, with antialiasing), because
llama.cpp does it in another way."""

RULES = {
    "repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
    "min_length": 0,
    "min_new_tokens": 0,
    "bad_words_ids": None,
    "sequence_bias": None,
    "suppress_tokens": None,
    "begin_suppress_tokens": None,
    "forced_eos_token_id": None,
}
"""Settings of a generation configuration that change greedy output, with the values that change nothing."""

CELLS = 16_384
"""Tokens of the KV memory by default."""

LEAST_CELLS = 2048
SPARE = 512 << 20
"""Bytes beside weights, keys and values: activations, logits, Python."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model and its picture tower (``None``: it reads text alone)."""

    model: Header
    tower: Header | None

    @property
    def name(self) -> str:
        """The model's name for people: the file's name without its suffix."""
        return self.model.path.stem

    @property
    def precision(self) -> str:
        """The number format of the weights, and that of the tower if it differs."""
        kinds = [_format(self.model), *([_format(self.tower)] if self.tower is not None else [])]
        return " and ".join(dict.fromkeys(kinds))

    @property
    def family(self) -> Family | None:
        """The family that the metadata names, else that of a published checkpoint whose name is part of the model's or
        the file's, else that of its tower."""
        said = self.model.metadata.get(MODEL_TYPE)
        if said is None:
            names = self.model.path.name, str(self.model.metadata.get("general.name", "")).replace(" ", "-")
            named = family_called(" ".join(names))
            if named is not None:
                return named
            said = TOWERS.get(self.projector)
        return families().get(str(said))

    @property
    def projector(self) -> str:
        """llama.cpp's name of the picture tower's kind."""
        metadata = {} if self.tower is None else self.tower.metadata
        return str(metadata.get("clip.vision.projector_type") or metadata.get("clip.projector_type") or "")

    @property
    def card(self) -> ModelProfile:
        """The model's prompts and dialect. Raises :class:`docspec.core.ModelError` if its family is unknown."""
        family = self.family
        if family is None:
            raise ModelError(
                f"{self.model.path}: neither its name nor its picture tower tells which family of readers it is of; "
                "say --set dialect=NAME and --set prompt=TEXT"
            )
        card = family.card_of(self.name, str(self.model.metadata.get("general.name", "")))
        said = self.model.metadata.get(CARD)
        return (
            card if said is None else card.updated(_object(said, CARD, self.model.path), f"{self.model.path}, {CARD}")
        )

    @property
    def factor(self) -> int:
        """Pixels per token and axis; 0 if there is no tower or it does not say."""
        if self.tower is None:
            return 0
        said = self.tower.metadata
        merge = said.get("clip.vision.spatial_merge_size") or said.get("clip.vision.projector.scale_factor") or 2
        return int(said.get("clip.vision.patch_size", 0)) * int(merge)

    @property
    def pixels(self) -> tuple[int, int] | None:
        """The least and the most pixels of an image: the file's, else those of its family's processor."""
        said = self.model.metadata.get(PIXELS)
        if said is None:
            sight = None if self.family is None else self.family.sight
            return None if sight is None else (sight.least_pixels, sight.most_pixels)
        try:
            least, most = map(int, str(said).split(","))
        except ValueError:
            raise ModelError(f"{self.model.path}: {PIXELS} is not two numbers") from None
        return least, most

    def profile(self, options: ParseOptions) -> RemoteModel:
        """The model's prompts, dialect and image sizes with the user's options. Raises
        :class:`docspec.core.ModelError`."""
        family = self.family if options.family is None else families().get(options.family)
        if family is None and options.dialect is not None:
            card = ModelProfile(options.dialect)
        else:
            card = self.card if options.family is None or family is None else family.card_of(self.name)
        least, most = self.pixels or (0, 0)
        if not most and family is not None and family.sight is not None:
            least, most = family.sight.least_pixels, family.sight.most_pixels
        sight = PublishedSight(self.factor or FACTOR, least, most)
        return RemoteModel(self.name, family, card.asked(options.dialect, options.prompt), sight)

    @property
    def bytes_per_cell(self) -> int:
        """Bytes of the keys and values of one token."""
        head = self.model
        heads = head.number("attention.head_count_kv") or head.number("attention.head_count")
        width = head.number("embedding_length") // max(1, head.number("attention.head_count"))
        keys, values = head.number("attention.key_length", width), head.number("attention.value_length", width)
        return head.number("block_count") * heads * (keys + values) * (4 if self.model.is_float32 else 2)

    @property
    def weights(self) -> int:
        """Bytes of both files."""
        return self.model.size + (self.tower.size if self.tower is not None else 0)

    def check_rules(self) -> None:
        """Raises :class:`docspec.core.ModelError` if the model is not meant to be decoded greedily."""
        said = _object(self.model.metadata.get(GENERATION, "{}"), GENERATION, self.model.path)
        asked = [name for name, nothing in RULES.items() if said.get(name) not in (None, nothing, [], {})]
        penalty = self.model.metadata.get("general.sampling.penalty_repeat", 1.0)
        asked += ["repetition_penalty"] if penalty != 1.0 else []
        asked += ["no_repeat_ngrams"] if self.family is not None and self.card.no_repeat_ngrams else []
        if asked:
            raise ModelError(
                f"{self.model.path}: the published reader is decoded with {', '.join(asked)}, which --engine llama "
                "does not follow; take --engine local"
            )

    def cells(self, answer: int, free: int | None, decoders: int = 1, several: int = 1) -> tuple[int, str]:
        """The tokens of each decoder's KV memory, for ``several`` answers of up to ``answer`` tokens at once and
        ``free`` bytes of memory (``None``: unknown), and a remark if they are fewer than wanted. Raises
        :class:`docspec.core.ModelError` if the model does not fit."""
        wanted = max(CELLS // decoders, several * (PROMPT + answer))
        if free is None:
            return wanted, ""
        each = decoders * self.bytes_per_cell
        room = (free - self.weights - SPARE) // max(1, each)
        line = (
            f"{self.name} needs {gib(self.weights)} for weights and {gib(wanted * each)} for keys and "
            f"values of {decoders * wanted:,} tokens; {gib(free)} are free"
        )
        if room < LEAST_CELLS:
            raise ModelError(f"{line}: close other programs or take a smaller model")
        if room < wanted:
            return room // 256 * 256, f"{line}: {room // 256 * 256:,} tokens are kept, long pages may not fit"
        return wanted, ""


def find_files(model: Path, tower: Path | None = None) -> ModelFiles:
    """The file ``model`` with its ``tower`` (``None``: ``mmproj-`` ``model`` beside it, else the only file there with
    mmproj in its name, if there is one). Raises :class:`docspec.core.ModelError`."""
    head = read_header(model)
    if head.architecture == "clip":
        raise ModelError(f"{model} is a picture tower; name it with --mmproj, and the model with --model")
    if tower is None:
        beside = [one for one in sorted(model.parent.glob("*.gguf")) if "mmproj" in one.name.lower()]
        named = [one for one in beside if one.name == f"mmproj-{model.name}"]
        if len(found := named or beside) > 1:
            raise ModelError(f"several picture towers lie beside {model}; name one with --mmproj")
        tower = found[0] if found else None
    pictures = None if tower is None else read_header(tower)
    if pictures is not None and pictures.architecture != "clip":
        raise ModelError(f"{tower} is no picture tower (a file named mmproj-...)")
    return ModelFiles(head, pictures)


def settings_for(files: ModelFiles, cells: int, threads: int, **more: Any) -> LlamaSettings:
    """The child's settings for ``files``."""
    limits = files.pixels
    factor = files.factor
    sizes = None if limits is None or not factor else (max(1, limits[0] // factor**2), limits[1] // factor**2)
    template = files.family.template if files.family is not None else None
    return LlamaSettings(
        str(files.model.path),
        None if files.tower is None else str(files.tower.path),
        cells=cells,
        threads=threads,
        image_tokens=sizes,
        template=template,
        precision=files.precision,
        **more,
    )


def fitting(files: ModelFiles) -> Any:
    """A function that resizes an image to the size that the model sees, or returns it as it is if llama.cpp resizes."""
    limits, factor = files.pixels, files.factor
    if limits is None or files.projector not in RESIZED:
        return lambda image: image
    from PIL.Image import Resampling

    from docspec.core.page import smart_resize

    def fit(image: Any) -> Any:
        height, width = smart_resize(image.height, image.width, factor, *limits)
        if image.size == (width, height):
            return image
        return image.resize((width, height), Resampling.BICUBIC)

    return fit


def _format(header: Header) -> str:
    names = {0: "float32", 1: "float16", 2: "q4_0", 7: "q8_0", 15: "q4_k_m", 17: "q5_k_m", 18: "q6_k", 32: "bfloat16"}
    kind = header.metadata.get("general.file_type")
    return names.get(kind if isinstance(kind, int) else -1, f"file type {kind}")


def _object(said: Any, key: str, path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(str(said))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ModelError(f"{path}: {key} is no JSON object")
    return found
