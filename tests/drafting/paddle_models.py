"""Model directories for PP-StructureV3 that need no download.

Text detection and recognition are real (the PP-OCRv6 files of RapidOCR's wheel); layout, table and formula
models are small generated ONNX graphs that answer what the test chose, in the formats that paddlex's
post-processing reads.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import onnx
import onnxruntime
import rapidocr
import tokenizers
import yaml
from onnx import TensorProto, helper, numpy_helper

LAYOUT_LABELS = (
    "paragraph_title", "image", "text", "number", "abstract", "content", "figure_title", "formula", "table",
    "reference", "doc_title", "footnote", "header", "algorithm", "footer", "seal", "chart", "formula_number",
    "aside_text", "reference_content",
)  # fmt: skip

_DECODE = {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}
_NORMALIZE = {"NormalizeImage": {"mean": [0.5] * 3, "std": [0.5] * 3, "scale": 1 / 255}}


@dataclass(frozen=True)
class LayoutBox:
    """A box that the generated layout model reports; coordinates are shares (0..1) of the page."""

    label: str
    x0: float
    y0: float
    x1: float
    y1: float
    score: float = 0.9


def add_text_models(root: Path) -> None:
    """PP-OCRv6_small detection and recognition from RapidOCR's wheel, with its own dictionary."""
    wheel = Path(rapidocr.__file__).parent / "models"
    detector = _model_dir(
        root,
        "PP-OCRv6_small_det",
        PreProcess={"transform_ops": [_DECODE, {"DetResizeForTest": {}}, _NORMALIZE, {"ToCHWImage": None}]},
        PostProcess={"name": "DBPostProcess", "thresh": 0.3, "box_thresh": 0.6, "unclip_ratio": 1.5},
    )
    copyfile(wheel / "PP-OCRv6_det_small.onnx", detector / "inference.onnx")
    session = onnxruntime.InferenceSession(wheel / "PP-OCRv6_rec_small.onnx")
    characters = session.get_modelmeta().custom_metadata_map["character"].split("\n")
    assert len(characters) + 2 == session.get_outputs()[0].shape[-1]  # a blank before, a space after
    recognizer = _model_dir(
        root,
        "PP-OCRv6_small_rec",
        PreProcess={"transform_ops": [_DECODE, {"RecResizeImg": {"image_shape": [3, 48, 320]}}]},
        PostProcess={"name": "CTCLabelDecode", "character_dict": characters},
    )
    copyfile(wheel / "PP-OCRv6_rec_small.onnx", recognizer / "inference.onnx")


def add_layout_model(root: Path, boxes: Sequence[LayoutBox], name: str = "PP-DocLayout_plus-L") -> None:
    """A detector that finds ``boxes`` on every page, of any size."""
    folder = _detector_dir(root, name, list(LAYOUT_LABELS))
    _save_detector(
        folder, [[LAYOUT_LABELS.index(b.label), b.score] for b in boxes], [[b.x0, b.y0, b.x1, b.y1] for b in boxes]
    )


def add_table_models(
    root: Path, kind: str, structure: Sequence[str], cells: Sequence[tuple[float, float, float, float]], aspect: float
) -> None:
    """The five table models: every table is ``kind`` (wired_table or wireless_table) with that structure.

    ``cells`` are the cells' boxes in shares of the table image, one for each ``<td></td>``; ``aspect`` is
    that image's width over its height (the structure model answers in shares of the padded square).
    """
    kinds = ["wired_table", "wireless_table"]
    folder = _classifier_dir(root, "PP-LCNet_x1_0_table_cls", kinds)
    _save_constants(folder, {"scores": np.array([[0.9 if kind == k else 0.1 for k in kinds]], np.float32)})
    alphabet = ["<thead>", "</thead>", "<tbody>", "</tbody>", "<tr>", "</tr>", "<td>", "<td", ">", "</td>"]
    tokens = ["sos", *(t for t in alphabet if t != "<td>"), "<td></td>", "eos"]
    ids = [tokens.index(token) for token in (*structure, "eos")]
    corners = iter(cells)
    places = [next(corners) if token == "<td></td>" else (0.0, 0.0, 0.0, 0.0) for token in (*structure, "eos")]
    locations = np.array([[(x0, y0, x1, y0, x1, y1, x0, y1) for x0, y0, x1, y1 in places]], np.float32)
    locations *= np.tile([min(1, aspect), min(1, 1 / aspect)], 4).astype(np.float32)
    for name in ("SLANeXt_wired", "SLANet_plus"):
        folder = _model_dir(
            root,
            name,
            PreProcess={
                "transform_ops": [
                    _DECODE,
                    {"TableLabelEncode": {"merge_no_span_structure": True}},
                    {"ResizeTableImage": {"max_len": 488}},
                    {"NormalizeImage": {}},
                    {"PaddingTableImage": {"size": [488, 488]}},
                    {"ToCHWImage": None},
                ]
            },
            PostProcess={"name": "TableLabelDecode", "character_dict": alphabet},
        )
        _save_constants(folder, {"boxes": locations, "structure": np.eye(len(tokens), dtype=np.float32)[ids][None]})
    for name in ("RT-DETR-L_wired_table_cell_det", "RT-DETR-L_wireless_table_cell_det"):
        folder = _detector_dir(root, name, ["cell"])
        _save_detector(folder, [[0, 0.9]] * len(cells), [list(cell) for cell in cells])


def add_table_rotation_model(root: Path) -> None:
    """A classifier that finds every table upright."""
    folder = _classifier_dir(root, "PP-LCNet_x1_0_doc_ori", ["0", "90", "180", "270"])
    _save_constants(folder, {"scores": np.array([[0.97, 0.01, 0.01, 0.01]], np.float32)})


def add_column_model(root: Path) -> None:
    """A detector that finds one region of text on every page: all but the margins."""
    folder = _detector_dir(root, "PP-DocBlockLayout", ["Region"])
    _save_detector(folder, [[0, 0.9]], [[0.05, 0.03, 0.95, 0.92]])


def add_formula_model(root: Path, latex: str, name: str = "PP-FormulaNet_plus-L") -> None:
    """A recogniser that reads ``latex`` from every formula."""
    vocabulary = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, latex: 4}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>"])
    folder = _model_dir(
        root,
        name,
        PreProcess={
            "transform_ops": [
                {"UniMERNetImgDecode": {"input_size": [64, 64]}},
                {"UniMERNetTestTransform": None},
                {"LatexImageFormat": None},
            ]
        },
        PostProcess={
            "name": "UniMERNetDecode",
            "character_dict": {"fast_tokenizer_file": json.loads(tokenizer.to_str())},
        },
    )
    _save_constants(folder, {"tokens": np.array([[0, 4, 2]], np.int64)})


def _model_dir(root: Path, name: str, **config: Any) -> Path:
    """``root/name`` with its ``inference.yml``."""
    folder = root / name
    folder.mkdir(parents=True)
    text = yaml.safe_dump({"Global": {"model_name": name}, **config}, allow_unicode=True)
    (folder / "inference.yml").write_text(text, encoding="utf-8")
    return folder


def _classifier_dir(root: Path, name: str, labels: list[str]) -> Path:
    steps = [{"ResizeImage": {"size": [64, 64]}}, _NORMALIZE, {"ToCHWImage": None}]
    return _model_dir(
        root,
        name,
        PreProcess={"transform_ops": steps},
        PostProcess={"Topk": {"topk": len(labels), "label_list": labels}},
    )


def _detector_dir(root: Path, name: str, labels: list[str]) -> Path:
    steps = [{"type": "Resize", "target_size": [64, 64]}, {"type": "NormalizeImage"}, {"type": "Permute"}]
    return _model_dir(root, name, draw_threshold=0.5, Preprocess=steps, label_list=labels)


def _save_detector(folder: Path, labels: list[list[float]], boxes: list[list[float]]) -> None:
    """RT-DETR's interface: (im_shape, image, scale_factor) -> (class, score, x0, y0, x1, y1) rows, count."""
    inputs = [
        helper.make_tensor_value_info("im_shape", TensorProto.FLOAT, ["n", 2]),
        helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, 64, 64]),
        helper.make_tensor_value_info("scale_factor", TensorProto.FLOAT, ["n", 2]),
    ]
    outputs = [
        helper.make_tensor_value_info("rows", TensorProto.FLOAT, ["m", 6]),
        helper.make_tensor_value_info("count", TensorProto.INT32, ["n"]),
    ]
    constants = {
        "labels": np.array(labels, np.float32).reshape(1, -1, 2),
        "shares": np.array(boxes, np.float32).reshape(1, -1, 4),
        "size_order": np.array([[1, 0, 1, 0]], np.int64),  # (height, width) -> x, y, x, y
        "first_two": np.array([0, 1], np.int64),
        "zero": np.array(0, np.float32),
        "found": np.array(len(boxes), np.float32),
        "row_shape": np.array([-1, 6], np.int64),
        "flat": np.array([-1], np.int64),
        "first": np.array([0], np.int64),
    }
    nodes = [
        helper.make_node("Div", ["im_shape", "scale_factor"], ["page_size"]),
        helper.make_node("Gather", ["page_size", "size_order"], ["sizes"], axis=1),
        helper.make_node("Mul", ["shares", "sizes"], ["pixels"]),
        helper.make_node("Gather", ["pixels", "first_two"], ["two_columns"], axis=2),
        helper.make_node("Mul", ["two_columns", "zero"], ["no_labels"]),
        helper.make_node("Add", ["no_labels", "labels"], ["page_labels"]),
        helper.make_node("Concat", ["page_labels", "pixels"], ["page_rows"], axis=2),
        helper.make_node("Reshape", ["page_rows", "row_shape"], ["rows"]),
        helper.make_node("Gather", ["page_size", "first"], ["heights"], axis=1),
        helper.make_node("Mul", ["heights", "zero"], ["no_counts"]),
        helper.make_node("Add", ["no_counts", "found"], ["counts"]),
        helper.make_node("Reshape", ["counts", "flat"], ["flat_counts"]),
        helper.make_node("Cast", ["flat_counts"], ["count"], to=TensorProto.INT32),
    ]
    _save(folder, nodes, inputs, outputs, constants)


def _save_constants(folder: Path, outputs: dict[str, np.ndarray]) -> None:
    """A model of one image input whose outputs never change: ``(1, ...)`` values, repeated for each image."""
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "c", "h", "w"])]
    results = []
    constants: dict[str, np.ndarray] = {"zero": np.array(0, np.float32)}
    nodes = [
        helper.make_node("ReduceMax", ["x"], ["brightest"], axes=[1, 2, 3], keepdims=0),
        helper.make_node("Mul", ["brightest", "zero"], ["zeros"]),
    ]
    for name, value in outputs.items():
        kind = helper.np_dtype_to_tensor_dtype(value.dtype)
        results.append(helper.make_tensor_value_info(name, kind, ["n", *value.shape[1:]]))
        constants |= {f"{name}_value": value, f"{name}_shape": np.array([-1] + [1] * (value.ndim - 1), np.int64)}
        nodes += [
            helper.make_node("Reshape", ["zeros", f"{name}_shape"], [f"{name}_zeros"]),
            helper.make_node("Cast", [f"{name}_zeros"], [f"{name}_offsets"], to=kind),
            helper.make_node("Add", [f"{name}_offsets", f"{name}_value"], [name]),
        ]
    _save(folder, nodes, inputs, results, constants)


def _save(folder: Path, nodes: list, inputs: list, outputs: list, constants: dict[str, np.ndarray]) -> None:
    initializers = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "generated", inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, folder / "inference.onnx")
