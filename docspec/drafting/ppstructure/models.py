"""Finds PP-StructureV3's models in a folder, and the pipeline's features with them.

A model is a sub-folder with an ``inference.yml`` (which names the model; the folder's own name is free) and
the files of an inference engine. Layout, text detection and text recognition are required; the rest switches
features. Nothing here imports paddleocr, so that a missing model is reported at once and not after seconds.
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docspec.core import DrafterError

Feature = Literal["base", "tables", "table rotation", "formulas", "columns"]

ENGINE = "onnxruntime"
"""The engine of paddleocr that runs models."""

ENGINE_FILES = {ENGINE: "inference.onnx", "transformers": "model.safetensors"}
"""It, and the one for parts that it has no files of; the file that each needs in a model's folder."""

_MODEL_NAME = re.compile(r"^[ \t]*[\"']?model_name[\"']?[ \t]*:[ \t]*[\"']?([^\s\"',}]+)", re.MULTILINE)
_FORMULA_TRANSFORMERS = ("PP-FormulaNet_plus-L", "PP-FormulaNet-L")


@dataclass(frozen=True, slots=True)
class Part:
    """One sub-module: ``argument`` is its prefix in PPStructureV3's parameters, ``pipeline`` the sub-pipeline that it
    belongs to, if any. ``names`` are the models that fit, the best first; ``pattern`` takes more (recognisers of other
    scripts).
    """

    argument: str
    feature: Feature
    pipeline: str | None
    names: tuple[str, ...]
    pattern: str = r"(?!)"

    @property
    def path(self) -> tuple[str, ...]:
        """Its place in the library's YAML."""
        above = () if self.pipeline is None else ("SubPipelines", self.pipeline)
        return (*above, "SubModules", self.argument.replace("_", " ").title().replace(" ", ""))


_DOC_LAYOUT = "PP-DocLayout_plus-L", "PP-DocLayout-L", "PP-DocLayout-M", "PP-DocLayout-S"
_DETECTION = "PP-OCRv6_medium_det", "PP-OCRv5_server_det", "PP-OCRv6_small_det", "PP-OCRv5_mobile_det"
_RECOGNITION = "PP-OCRv6_medium_rec", "PP-OCRv5_server_rec", "PP-OCRv6_small_rec", "PP-OCRv5_mobile_rec"
_FORMULAS = *_FORMULA_TRANSFORMERS, "PP-FormulaNet_plus-M", "PP-FormulaNet_plus-S", "PP-FormulaNet-S"
_WIRED, _WIRELESS = ("SLANeXt_wired", "SLANet_plus", "SLANet"), ("SLANet_plus", "SLANeXt_wireless", "SLANet")
_TABLE, _OCR = "TableRecognition", "GeneralOCR"

PARTS = (
    Part("layout_detection", "base", None, _DOC_LAYOUT),
    Part("text_detection", "base", _OCR, _DETECTION, r"PP-OCRv\d_\w+_det"),
    Part("text_recognition", "base", _OCR, _RECOGNITION, r"\w*PP-OCRv\d_\w+_rec"),
    Part("region_detection", "columns", None, ("PP-DocBlockLayout",)),
    Part("table_classification", "tables", _TABLE, ("PP-LCNet_x1_0_table_cls",)),
    Part("wired_table_structure_recognition", "tables", _TABLE, _WIRED),
    Part("wireless_table_structure_recognition", "tables", _TABLE, _WIRELESS),
    Part("wired_table_cells_detection", "tables", _TABLE, ("RT-DETR-L_wired_table_cell_det",)),
    Part("wireless_table_cells_detection", "tables", _TABLE, ("RT-DETR-L_wireless_table_cell_det",)),
    Part("table_orientation_classify", "table rotation", _TABLE, ("PP-LCNet_x1_0_doc_ori",)),
    Part("formula_recognition", "formulas", "FormulaRecognition", _FORMULAS, r"UniMERNet|LaTeX_OCR_rec"),
)

FEATURES: tuple[Feature, ...] = ("base", "tables", "table rotation", "formulas", "columns")


@dataclass(frozen=True, slots=True)
class Model:
    """A model on disk and the engine that can run it."""

    name: str
    folder: Path
    engine: str


@dataclass(frozen=True, slots=True)
class ModelSet:
    """The found models by :attr:`Part.argument`, their features, and the reasons for features that are off."""

    models: dict[str, Model]
    features: frozenset[Feature]
    notes: tuple[str, ...] = ()


def find_models(root: Path) -> ModelSet:
    """The best model for every part among the sub-folders of ``root``.

    With torchvision, a part that is only there as ``model.safetensors`` runs on
    transformers: formula models are not published as ONNX. Raises :class:`DrafterError` that names missing
    required models.
    """
    if not root.is_dir():
        raise DrafterError(f"PP-StructureV3: no model folder at {root}; {ways_out()}")
    known = _models_below(root)
    chosen = {part.argument: _choose(part, known) for part in PARTS}
    missing: dict[Feature, list[str]] = {feature: [] for feature in FEATURES}
    for part in PARTS:
        if chosen[part.argument] is None:
            missing[part.feature].append(part.names[0])
    if missing["base"]:
        names = ", ".join(missing["base"])
        raise DrafterError(f"PP-StructureV3: {root} lacks {names} for {ENGINE}; {ways_out()}")
    if missing["tables"]:
        missing["table rotation"] = ["table models"]
    features = frozenset(feature for feature in FEATURES if not missing[feature])
    if missing["formulas"] and not transformers_can_run():
        missing["formulas"] = [f"{missing['formulas'][0]}, or torchvision to run it on transformers,"]
    notes = tuple(
        f"no {feature} ({', '.join(missing[feature])} missing)"
        for feature in ("tables", "formulas")
        if missing[feature]  # the other features only refine; a reader misses nothing
    )
    usable = {
        part.argument: model
        for part in PARTS
        if part.feature in features and (model := chosen[part.argument]) is not None
    }
    return ModelSet(usable, features, notes)


def library_defaults() -> ModelSet:
    """The models that the library fetches by itself, found by their names."""
    if transformers_can_run():
        return ModelSet({}, frozenset(FEATURES))
    note = "no formulas (not published for onnxruntime; on transformers they need torchvision)"
    return ModelSet({}, frozenset(FEATURES) - {"formulas"}, (note,))


def transformers_can_run() -> bool:
    """Whether paddlex's ``transformers`` engine can run: its image processors need torchvision."""
    return importlib.util.find_spec("torchvision") is not None


def ways_out() -> str:
    """The remedies for missing models, in one clause."""
    return (
        f"give a folder of models with --set ppstructure-models=DIR (one sub-folder a model, each with "
        f"inference.yml and {ENGINE_FILES[ENGINE]}), allow downloads, or take --drafter rapidocr or text-layer"
    )


def _models_below(root: Path) -> dict[str, list[Path]]:
    """The model folders below ``root`` by the name in their ``inference.yml``."""
    known: dict[str, list[Path]] = {}
    for config in sorted(root.glob("*/inference.yml")):
        name = _MODEL_NAME.search(config.read_text(encoding="utf-8", errors="replace"))
        if name:
            known.setdefault(name[1], []).append(config.parent)
    return known


def _choose(part: Part, known: dict[str, list[Path]]) -> Model | None:
    others = (name for name in sorted(known) if name not in part.names and re.fullmatch(part.pattern, name))
    for candidate in (ENGINE, "transformers") if transformers_can_run() else (ENGINE,):
        for name in (*part.names, *others):
            if part.feature == "formulas" and candidate == "transformers" and name not in _FORMULA_TRANSFORMERS:
                continue
            for folder in known.get(name, ()):
                if (folder / ENGINE_FILES[candidate]).is_file():
                    return Model(name, folder, candidate)
    return None
