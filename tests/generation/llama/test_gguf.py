"""What GGUF files say of themselves, read without any library; damaged and hostile ones are refused in a line."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core import ModelError, ParseOptions
from docspec.generation.choice import open_engine
from docspec.generation.llama.gguf import read_header
from docspec.generation.llama.model_files import CARD, GENERATION, MODEL_TYPE, PIXELS, find_files, fitting
from docspec.generation.llama.settings import LlamaSettings


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def value(of: Any) -> bytes:
    if isinstance(of, bool):
        return struct.pack("<I?", 7, of)
    if isinstance(of, int):
        return struct.pack("<II", 4, of)
    if isinstance(of, float):
        return struct.pack("<If", 6, of)
    if isinstance(of, list):
        return struct.pack("<IIQ", 9, 5, len(of)) + struct.pack(f"<{len(of)}i", *of)
    return struct.pack("<I", 8) + text(of)


def gguf(file: Path, **metadata: Any) -> Path:
    pairs = b"".join(text(key.replace("__", ".")) + value(of) for key, of in metadata.items())
    file.write_bytes(struct.pack("<4sIQQ", b"GGUF", 3, 0, len(metadata)) + pairs)
    return file


QWEN = {
    "general__architecture": "qwen3vl",
    "general__file_type": 0,
    "qwen3vl__block_count": 28,
    "qwen3vl__embedding_length": 2048,
    "qwen3vl__attention__head_count": 16,
    "qwen3vl__attention__head_count_kv": [8, 8, 4],
    "qwen3vl__attention__key_length": 128,
    "qwen3vl__attention__value_length": 128,
}
TOWER = {
    "general__architecture": "clip",
    "general__file_type": 1,
    "clip__projector_type": "qwen3vl_merger",
    "clip__vision__patch_size": 16,
    "clip__vision__spatial_merge_size": 2,
}


def test_a_header_is_read_whole(tmp_path: Path) -> None:
    found = read_header(gguf(tmp_path / "a.gguf", a="text", b=7, c=True, d=0.5, e=[1, -2]))
    assert found.metadata == {"a": "text", "b": 7, "c": True, "d": 0.5, "e": [1, -2]}


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_cut_and_changed_files_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = gguf(tmp_path_factory.mktemp("gguf") / "a.gguf", **QWEN)
    whole = bytearray(file.read_bytes())
    whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    try:
        read_header(file)
    except ModelError as error:
        assert "\n" not in str(error) and str(file) in str(error)


def test_family_and_tower_are_told_by_names_towers_and_metadata(tmp_path: Path) -> None:
    gguf(tmp_path / "mmproj-model.gguf", **TOWER)
    files = find_files(gguf(tmp_path / "model.gguf", **QWEN))
    assert files.tower is not None and files.factor == 32 and files.pixels == (65_536, 16_777_216)
    assert files.family is not None and files.family.model_types == ("qwen3_vl",)
    named = find_files(gguf(tmp_path / "granite-docling-258M-Q8_0.gguf", **QWEN))
    assert named.card.dialect == "doctags"
    said = {**QWEN, MODEL_TYPE: "glm_ocr", CARD: json.dumps({"dialect": "markdown", "prompt": "Read it."})}
    told = find_files(gguf(tmp_path / "granite-docling-258M.gguf", **said))
    assert told.card.prompt == "Read it." and told.card.page_pixels == 0


def test_memory_is_estimated_before_anything_is_loaded(tmp_path: Path) -> None:
    files = find_files(gguf(tmp_path / "model.gguf", **QWEN))
    assert files.bytes_per_cell == 28 * 8 * 256 * 4
    assert files.cells(8192, None) == (16_384, "") and files.cells(24_000, None)[0] == 28_096
    cells, remark = files.cells(8192, 2 << 30)
    assert 2048 < cells < 16_384 and cells % 256 == 0 and "are free" in remark
    with pytest.raises(ModelError, match="smaller model"):
        files.cells(8192, 600 << 20)


def test_rules_that_are_not_followed_are_refused(tmp_path: Path) -> None:
    find_files(gguf(tmp_path / "a.gguf", **QWEN, **{GENERATION: json.dumps({"repetition_penalty": 1.0})})).check_rules()
    asked = find_files(gguf(tmp_path / "b.gguf", **QWEN, **{GENERATION: json.dumps({"no_repeat_ngram_size": 20})}))
    with pytest.raises(ModelError, match="no_repeat_ngram_size"):
        asked.check_rules()
    with pytest.raises(ModelError, match="repetition_penalty"):
        find_files(gguf(tmp_path / "c.gguf", **QWEN, general__sampling__penalty_repeat=1.5)).check_rules()


@pytest.mark.parametrize(("key", "said"), [(PIXELS, "many"), (CARD, "[]"), (CARD, '{"no_such": 1}')])
def test_metadata_of_docspecs_own_that_is_damaged_is_refused(tmp_path: Path, key: str, said: str) -> None:
    files = find_files(gguf(tmp_path / "model.gguf", **QWEN, **{MODEL_TYPE: "qwen3_vl", key: said}))
    with pytest.raises(ModelError, match=r"model\.gguf"):
        _ = (files.pixels, files.card)


def test_no_child_is_started_for_a_model_of_no_known_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[LlamaSettings] = []
    monkeypatch.setattr("docspec.generation.llama.opening.start_llama", lambda settings, *_: started.append(settings))
    model = str(gguf(tmp_path / "model.gguf", **{**QWEN, "general__architecture": "llama"}))
    with pytest.raises(ModelError, match="--set dialect="):
        open_engine(ParseOptions(model=model, engine="llama"), lambda line: None)
    assert not started


def test_towers_and_models_are_not_taken_for_each_other(tmp_path: Path) -> None:
    model, tower = gguf(tmp_path / "model.gguf", **QWEN), gguf(tmp_path / "mmproj-a.gguf", **TOWER)
    with pytest.raises(ModelError, match="--mmproj"):
        find_files(tower)
    with pytest.raises(ModelError, match="no picture tower"):
        find_files(model, model)
    gguf(tmp_path / "mmproj-b.gguf", **TOWER)
    with pytest.raises(ModelError, match="several"):
        find_files(model)
    assert find_files(model, tower).tower is not None


def test_pictures_are_brought_to_the_size_that_the_processor_gives_them(tmp_path: Path) -> None:
    from PIL import Image
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    gguf(tmp_path / "mmproj-model.gguf", **TOWER)
    files = find_files(gguf(tmp_path / "model.gguf", **QWEN, **{MODEL_TYPE: "qwen3_vl", PIXELS: "4096,250000"}))
    fit = fitting(files)
    sizes = {"shortest_edge": 4096, "longest_edge": 250_000}
    processor = Qwen2VLImageProcessorPil(patch_size=16, merge_size=2, size=sizes)
    for size in ((64, 64), (333, 501), (31, 40), (900, 800)):
        image = Image.effect_noise(size, 90).convert("RGB")
        fitted, seen = fit(image), processor(image, return_tensors="pt")
        assert (fitted.height // 16, fitted.width // 16) == tuple(seen["image_grid_thw"][0, 1:].tolist())
        again = processor(fitted, return_tensors="pt")
        assert seen["pixel_values"].equal(again["pixel_values"])
