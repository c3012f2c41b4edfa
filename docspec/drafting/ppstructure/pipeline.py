"""Runs the real ``paddleocr.PPStructureV3`` on page images: set up once, quiet, and offline if asked.

All checks that need no library (packages, models, the hub's answer) are made before its import, because the import
takes seconds and its own error for a missing model comes later still. The few environment variables involved are the
library's own; they are read here and nowhere else.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import socket
import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import numpy as np

from docspec.core import DrafterError, PageDraft, PageImage
from docspec.core.libraries import without_bars
from docspec.drafting.ppstructure.models import ENGINE, PARTS, ModelSet, find_models, library_defaults, ways_out
from docspec.drafting.ppstructure.results import regions_from_result

_OFF = (
    "use_doc_orientation_classify",
    "use_doc_unwarping",
    "use_textline_orientation",
    "use_seal_recognition",
    "use_chart_recognition",
)

HUB_TIMEOUT = 2.0  # seconds after which the model hub counts as unreachable


class PPStructureDrafter:
    """Drafts with PP-StructureV3: layout, text, tables as HTML, formulas as LaTeX, reading order.

    ``models`` is a folder of model folders (see :mod:`docspec.drafting.ppstructure.models`); it is used as
    it is and nothing is downloaded. Without it the library's cache serves, and, unless ``offline``, its
    downloads. A GPU is used where it can.
    """

    name = "ppstructure"

    def __init__(self, models: Path | None = None, *, offline: bool = False) -> None:
        self._folder = models
        self._offline = offline
        self._pipeline: Any = None
        self._failure: str | None = None

    def check(self) -> None:
        """Raise :class:`DrafterError` if this cannot work here. Milliseconds, or one look at the hub."""
        _ = self._models

    def draft(self, page: PageImage) -> PageDraft:
        """See :class:`docspec.drafting.drafter.Drafter`. Loading the models, once, is not in ``seconds``."""
        self._load()
        started = perf_counter()
        pixels = np.ascontiguousarray(np.asarray(page.image.convert("RGB"))[:, :, ::-1])  # BGR, and its own copy
        try:
            result = _predict(self._pipeline, pixels, self._models)
        except Exception as error:  # any error of the library costs only this page's draft
            raise DrafterError(
                f"{page.source}, page {page.number}: PP-StructureV3 failed ({_one_line(error)})"
            ) from error
        regions = regions_from_result(result, page.width, page.height)
        reason = "; ".join((f"PP-StructureV3 on {ENGINE}", *self._models.notes))
        return PageDraft(regions, self.name, reason, perf_counter() - started, layout="PP-StructureV3")

    @cached_property
    def _models(self) -> ModelSet:
        """The models to use; an empty set stands for the library's own defaults, fetched from the hub."""
        require_packages()
        if self._folder is not None:
            return find_models(self._folder)
        try:
            cached: ModelSet | None = find_models(cache_folder())
        except DrafterError:
            cached = None
        if cached is not None and (self._offline or {"tables", "formulas"} <= cached.features):
            return cached
        if self._offline:
            raise DrafterError(f"PP-StructureV3: no models, and downloads are off; {ways_out()}")
        if not hub_answers():
            if cached is not None:
                return cached
            raise DrafterError(f"PP-StructureV3: no models, and the model hub cannot be reached; {ways_out()}")
        return library_defaults()

    def _load(self) -> None:
        """Makes the pipeline at the first call; a failure is remembered, not repeated."""
        if self._failure is not None:
            raise DrafterError(self._failure)
        models = self._models
        if self._pipeline is None:
            try:
                self._pipeline = _build(models)
            except Exception as error:
                self._failure = f"PP-StructureV3 cannot start on {ENGINE}: {_one_line(error)}"
                raise DrafterError(self._failure) from error


def _build(models: ModelSet) -> Any:
    """The library's pipeline object over ``models``."""
    logger = logging.getLogger("paddlex")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())  # without a handler paddlex adds its own on standard error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from paddleocr import PPStructureV3
        from paddlex.inference import load_pipeline_config

        config = load_pipeline_config("PP-StructureV3")
        # Not among the class's parameters, and on by default: it would fetch one more model for rotated tables.
        table_ocr = config["SubPipelines"]["TableRecognition"]["SubPipelines"]["GeneralOCR"]
        table_ocr["use_textline_orientation"] = False
        loads_transformers = "transformers" in choose_engines(config, models)
        with without_bars() if loads_transformers else nullcontext():
            return PPStructureV3(
                paddlex_config=config,
                engine=ENGINE,
                engine_config={"log_severity_level": 3},
                device=best_device(),
                use_table_recognition="tables" in models.features,
                use_formula_recognition="formulas" in models.features,
                use_region_detection="columns" in models.features,
                **dict.fromkeys(_OFF, False),
                **_model_arguments(models),
            )


def _predict(pipeline: Any, pixels: np.ndarray, models: ModelSet) -> Mapping[str, Any]:
    """One page's result in its saved form. ``pixels`` is (height, width, 3) BGR and is drawn upon."""
    results = pipeline.predict(
        pixels,
        use_doc_orientation_classify=False,
        use_doc_unwarping=False,
        use_table_orientation_classify="table rotation" in models.features,
    )
    payload: Mapping[str, Any] = results[0].json["res"]
    return payload


def _model_arguments(models: ModelSet) -> dict[str, Any]:
    """Name and folder of every model as PPStructureV3's parameters."""
    arguments: dict[str, Any] = {}
    for argument, model in models.models.items():
        arguments[f"{argument}_model_name"] = model.name
        arguments[f"{argument}_model_dir"] = str(model.folder)
    layout = models.models.get("layout_detection")
    if layout is not None and layout.name != "PP-DocLayout_plus-L":
        # The configuration's thresholds and merge modes are listed by the class numbers of that one model.
        arguments |= {"layout_threshold": 0.5, "layout_merge_bboxes_mode": "large"}
    return arguments


def choose_engines(config: dict[str, Any], models: ModelSet) -> set[str]:
    """Write the engine of each part that does not run on :data:`ENGINE` into the pipeline's configuration.

    Returns all engines in use. ``config`` is PP-StructureV3's own YAML, as the library loads it.
    """
    used = {ENGINE}
    formulas_elsewhere = not models.models and "formulas" in models.features
    for part in PARTS:
        model = models.models.get(part.argument)
        own = model.engine if model is not None else ENGINE
        if formulas_elsewhere and part.feature == "formulas":
            own = "transformers"  # formula models are not published as ONNX
        if own == ENGINE:
            continue
        place = config
        for key in part.path:
            place = place[key]
        place["engine"] = own
        used.add(own)
    return used


def _one_line(error: BaseException) -> str:
    """The innermost cause in one line: the library wraps the error in advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


def cache_folder() -> Path:
    """The library's folder of downloaded models."""
    return Path(os.environ.get("PADDLE_PDX_CACHE_HOME") or Path.home() / ".paddlex") / "official_models"


def best_device() -> str:
    """The best device. By default the library asks torch even for onnxruntime, and then finds no CUDA provider."""
    import onnxruntime

    return "gpu:0" if "CUDAExecutionProvider" in onnxruntime.get_available_providers() else "cpu"


def require_packages() -> None:
    """Raise :class:`DrafterError` if the library is not installed with all that it needs."""
    # sklearn and ftfy stand for the extra: paddleocr without it imports, and fails when the pipeline is made
    if any(importlib.util.find_spec(module) is None for module in ("paddleocr", "paddlex", "sklearn", "ftfy")):
        raise DrafterError("PP-StructureV3 needs paddleocr[doc-parser]: pip install it")


def hub_answers() -> bool:
    """Whether the model hub accepts a connection.

    True without a test if another source was chosen or a proxy is used: the library will find out.
    """
    if os.environ.get("PADDLE_PDX_MODEL_SOURCE", "huggingface").lower() != "huggingface":
        return True
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    hub = urlsplit(os.environ.get("PADDLE_PDX_HUGGING_FACE_ENDPOINT") or constants.ENDPOINT)
    if hub.scheme in getproxies():
        return True
    port = hub.port or (80 if hub.scheme == "http" else 443)
    try:
        socket.create_connection((hub.hostname or "", port), timeout=HUB_TIMEOUT).close()
    except OSError:
        return False
    return True
