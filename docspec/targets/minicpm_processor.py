"""The inputs of MiniCPM-OCR: a view of the whole picture and slices of a large one, their patches in one row.

transformers' processor (``MiniCPMOcrProcessor``) needs torchvision for pictures and for videos. MiniCPM-V 4.6 cuts
pictures in the same way and has an image processor without torchvision; MiniCPM-OCR's different treatment of small
pictures is written here after ``MiniCPMOcrImageProcessor``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from transformers import AutoTokenizer
from transformers.image_processing_utils import BatchFeature
from transformers.image_transforms import divide_to_patches
from transformers.image_utils import SizeDict
from transformers.models.minicpm_ocr.image_processing_minicpm_ocr import adaptive_upsize_resolution
from transformers.models.minicpm_ocr.processing_minicpm_ocr import MiniCPMOcrProcessor
from transformers.models.minicpmv4_6.image_processing_pil_minicpmv4_6 import (
    MiniCPMV4_6ImageProcessorPil,
    MiniCPMV4_6ImageProcessorPilKwargs,
)
from transformers.processing_utils import ProcessorMixin

from docspec.core import ModelError
from docspec.core.safe_text import first_line
from docspec.targets.chat_template import find_template
from docspec.targets.own_processor import OwnProcessor
from docspec.targets.processing import load_tokenizer
from docspec.targets.validation import read_object


class Settings(MiniCPMV4_6ImageProcessorPilKwargs, total=False):  # type: ignore[call-arg]
    """What ``preprocessor_config.json`` may set; ``small_image_upsize`` is ``always``, ``never`` or ``adaptive``."""

    small_image_upsize: str


class MiniCPMOcrImages(MiniCPMV4_6ImageProcessorPil):
    """``pixel_values`` ``(1, 3, patch, all patches * patch)`` and ``target_sizes`` ``(views, 2)``, in patches."""

    downsample_mode = "4x"
    small_image_upsize = "always"
    valid_kwargs = Settings

    def _preprocess(self, images: list[np.ndarray], return_tensors: Any = None, **settings: Any) -> BatchFeature:
        views = [self._views(image, settings) for image in images]
        patch = settings["patch_size"]
        flat = [view for of_one in views for view in of_one]
        finished = [self._finished(view, settings) for view in flat]
        return BatchFeature(
            data={
                "pixel_values": np.concatenate([self.reshape_by_patch(view, patch) for view in finished], -1)[None],
                "target_sizes": np.array([[side // patch for side in view.shape[-2:]] for view in flat], np.int32),
                "grids": [self._grid(image, settings) or [0, 0] for image in images],
                "num_patches_per_image": list(map(len, views)),
            },
            tensor_type=return_tensors,
            skip_tensor_conversion=["grids", "num_patches_per_image"],
        )

    def _grid(self, image: np.ndarray, settings: dict[str, Any]) -> list[int] | None:
        """Rows and columns of slices; ``None`` if the picture is not sliced."""
        if not settings["slice_mode"]:
            return None
        grid: list[int] | None = self.get_sliced_grid(
            image.shape[-2:], settings["max_slice_nums"], settings["scale_resolution"]
        )
        return grid

    def _views(self, image: np.ndarray, settings: dict[str, Any]) -> list[np.ndarray]:
        """The whole picture, then its slices row by row."""
        grid, upsize, target = self._grid(image, settings), settings["small_image_upsize"], settings["scale_resolution"]
        if grid is None and upsize == "adaptive":
            found = adaptive_upsize_resolution(image, target)
            return [self._resized(image, found or target, found is not None, settings)]
        whole = self._resized(image, target, grid is None and upsize == "always", settings)
        if grid is None:
            return [whole]
        shape = settings["patch_size"], settings["downsample_mode"]
        height, width = self.get_refine_size(image.shape[-2:], grid, target, *shape, allow_upscale=True)
        refined = self.resize(image, size=SizeDict(height=height, width=width), resample=settings["resample"])
        slices = divide_to_patches(refined, (height // grid[0], width // grid[1]))
        if upsize == "adaptive":
            slices = [self._cheaper(image, grid, at, piece, settings) for at, piece in enumerate(slices)]
        return [whole, *slices]

    def _cheaper(
        self, image: np.ndarray, grid: list[int], at: int, piece: np.ndarray, settings: dict[str, Any]
    ) -> np.ndarray:
        """The slice ``at`` in the resolution that its print needs, if that takes fewer tokens than ``piece``."""
        (rows, columns), target = grid, settings["scale_resolution"]
        (row, column), (height, width) = divmod(at, columns), image.shape[-2:]
        cell = image[
            ...,
            round(height * row / rows) : round(height * (row + 1) / rows),
            round(width * column / columns) : round(width * (column + 1) / columns),
        ]
        if not cell.size or cell.shape[-2] * cell.shape[-1] > target**2:
            return piece
        found = adaptive_upsize_resolution(cell, target)
        if found == target:
            return piece
        other = self._resized(cell, found or target, found is not None, settings)
        return other if other.size < piece.size else piece

    def _resized(self, image: np.ndarray, resolution: int, enlarge: bool, settings: dict[str, Any]) -> np.ndarray:
        size: tuple[int, int] = image.shape[-2:]
        height, width = self.find_best_resize(
            size, resolution, settings["patch_size"], settings["downsample_mode"], allow_upscale=enlarge
        )
        if (height, width) == size:
            return image
        found: np.ndarray = self.resize(image, size=SizeDict(height=height, width=width), resample=settings["resample"])
        return found

    def _finished(self, view: np.ndarray, settings: dict[str, Any]) -> np.ndarray:
        if settings["do_rescale"]:
            view = self.rescale(view, settings["rescale_factor"])
        if settings["do_normalize"]:
            view = self.normalize(view, settings["image_mean"], settings["image_std"])
        return view


class WithoutVideos(MiniCPMOcrProcessor):
    """transformers' processor without its video processor, which it otherwise requires."""

    def __init__(self, image_processor: Any, tokenizer: Any) -> None:
        ProcessorMixin.__init__(self, image_processor, tokenizer)
        self.slice_mode = image_processor.slice_mode
        self.default_use_image_id = image_processor.use_image_id
        for name in ("image", "video"):
            setattr(self, f"{name}_token", getattr(tokenizer, f"{name}_token"))
            setattr(self, f"{name}_token_id", getattr(tokenizer, f"{name}_token_id"))
        for name in ("image", "slice", "image_id"):
            for end in ("start", "end"):
                setattr(self, f"{name}_{end}_token", getattr(tokenizer, f"{name}_{end}_token"))

    @classmethod
    def get_attributes(cls) -> list[str]:
        return ["image_processor", "tokenizer"]


class MiniCPMOcrProcessing(OwnProcessor):
    """The processor of one checkpoint."""

    @classmethod
    def from_pretrained(cls, path: str, *_: Any, **__: Any) -> MiniCPMOcrProcessing:
        """Reads a checkpoint directory. None of its code runs. Raises :class:`docspec.core.ModelError` in one line."""
        tokenizer = load_tokenizer(AutoTokenizer, path)
        template, origin = find_template(path, tokenizer)
        said = read_object(Path(path) / "preprocessor_config.json")
        try:
            images = MiniCPMOcrImages(**{name: value for name, value in said.items() if name in KNOWN})
            processor = WithoutVideos(images, tokenizer)
        except Exception as error:
            raise ModelError(f"{path} cannot be read as MiniCPMOcrProcessor: {first_line(error)}") from error
        merged = 2 if images.downsample_mode == "4x" else 4
        made = cls(processor, template, f"{path}/{origin}", images.patch_size * merged, {"enable_thinking": False})
        made._framed("Read.")
        return made


KNOWN = frozenset(Settings.__annotations__) | frozenset(MiniCPMV4_6ImageProcessorPilKwargs.__annotations__) | {
    "do_rescale", "rescale_factor", "do_normalize", "image_mean", "image_std", "resample"
}  # fmt: skip
"""The supported settings of ``preprocessor_config.json``."""
