"""Finding PP-StructureV3's models: what is chosen, what is switched off, what is said when it cannot work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter, thread_time

import pytest

from docspec.core import DrafterError
from docspec.drafting.ppstructure import PPStructureDrafter, models
from docspec.drafting.ppstructure.models import PARTS, find_models, library_defaults

BASE = ("PP-DocLayout_plus-L", "PP-OCRv6_small_det", "PP-OCRv6_small_rec")
TABLES = (
    "PP-LCNet_x1_0_table_cls",
    "SLANeXt_wired",
    "SLANet_plus",
    "RT-DETR-L_wired_table_cell_det",
    "RT-DETR-L_wireless_table_cell_det",
)


@pytest.fixture(autouse=True)
def no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No models downloaded earlier, and a hub at an address where nobody answers."""
    monkeypatch.setenv("PADDLE_PDX_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PADDLE_PDX_HUGGING_FACE_ENDPOINT", "http://127.0.0.1:9")
    for name in ("PADDLE_PDX_MODEL_SOURCE", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def with_torchvision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "transformers_can_run", lambda: True)


@pytest.fixture
def without_torchvision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "transformers_can_run", lambda: False)


def add(root: Path, *names: str, file: str = "inference.onnx", folder: str | None = None) -> Path:
    for name in names:
        place = root / (folder or name)
        place.mkdir(parents=True, exist_ok=True)
        (place / "inference.yml").write_text(f"mode: paddle\nGlobal:\n  model_name: {name}\n", encoding="utf-8")
        (place / file).touch()
    return root


def test_the_smallest_working_set_has_neither_tables_nor_formulas_and_says_so(
    tmp_path: Path, with_torchvision: None
) -> None:
    found = find_models(add(tmp_path, *BASE))
    assert sorted(model.name for model in found.models.values()) == sorted(BASE)
    assert found.features == {"base"}
    assert "no tables (PP-LCNet_x1_0_table_cls, " in found.notes[0]
    assert found.notes[1] == "no formulas (PP-FormulaNet_plus-L missing)"


def test_without_torchvision_the_note_on_formulas_names_it(tmp_path: Path, without_torchvision: None) -> None:
    add(tmp_path, *BASE)
    add(tmp_path, "PP-FormulaNet_plus-L", file="model.safetensors")
    found = find_models(tmp_path)
    assert "formulas" not in found.features
    assert found.notes[1] == ("no formulas (PP-FormulaNet_plus-L, or torchvision to run it on transformers, missing)")
    assert library_defaults().features == {"base", "tables", "table rotation", "columns"}


def test_everything_there_switches_everything_on(tmp_path: Path) -> None:
    extras = ("PP-FormulaNet_plus-L", "PP-DocBlockLayout", "PP-LCNet_x1_0_doc_ori")
    found = find_models(add(tmp_path, *BASE, *TABLES, *extras))
    assert found.features == {"base", "tables", "table rotation", "formulas", "columns"}
    assert found.notes == ()
    assert set(found.models) == {part.argument for part in PARTS}


def test_one_missing_table_model_switches_tables_off_as_a_whole(tmp_path: Path) -> None:
    found = find_models(add(tmp_path, *BASE, *TABLES[:-1], "PP-LCNet_x1_0_doc_ori"))
    assert found.features == {"base"}
    assert found.notes[0] == f"no tables ({TABLES[-1]} missing)"
    assert not any("table" in argument for argument in found.models)


def test_the_better_model_is_taken_whatever_its_folder_is_called(tmp_path: Path) -> None:
    add(tmp_path, *BASE, "PP-OCRv5_server_det")
    add(tmp_path, "PP-OCRv6_medium_rec", folder="unpacked_here_infer")
    found = find_models(tmp_path).models
    assert found["text_detection"].name == "PP-OCRv5_server_det"
    assert found["text_recognition"].name == "PP-OCRv6_medium_rec"
    assert found["text_recognition"].folder == tmp_path / "unpacked_here_infer"


def test_recognisers_of_other_scripts_are_accepted(tmp_path: Path) -> None:
    add(tmp_path, *BASE[:2], "arabic_PP-OCRv5_mobile_rec")
    assert find_models(tmp_path).models["text_recognition"].name == "arabic_PP-OCRv5_mobile_rec"


def test_of_two_copies_the_one_for_the_engine_is_taken(tmp_path: Path, with_torchvision: None) -> None:
    for name in BASE:
        add(tmp_path, name, file="model.safetensors", folder=f"a_{name}_safetensors")
    add(tmp_path, *BASE)
    assert {model.engine for model in find_models(tmp_path).models.values()} == {"onnxruntime"}


def test_a_formula_model_that_only_exists_for_transformers_runs_there(tmp_path: Path, with_torchvision: None) -> None:
    add(tmp_path, *BASE)
    add(tmp_path, "PP-FormulaNet_plus-L", file="model.safetensors")
    found = find_models(tmp_path)
    assert "formulas" in found.features
    assert found.models["formula_recognition"].engine == "transformers"
    assert found.models["layout_detection"].engine == "onnxruntime"


def test_a_formula_model_that_transformers_does_not_know_is_not_given_to_it(
    tmp_path: Path, with_torchvision: None
) -> None:
    add(tmp_path, *BASE)
    add(tmp_path, "PP-FormulaNet_plus-S", file="model.safetensors")
    assert "formulas" not in find_models(tmp_path).features


def test_missing_required_models_are_named_with_the_ways_out(tmp_path: Path) -> None:
    add(tmp_path, "PP-OCRv6_small_det")
    (tmp_path / "PP-OCRv6_small_rec").mkdir()  # a folder without inference.yml is no model
    add(tmp_path, "PP-DocLayout_plus-L", file="inference.pdiparams")
    started = perf_counter()
    with pytest.raises(DrafterError) as caught:
        find_models(tmp_path)
    message = str(caught.value)
    assert "lacks PP-DocLayout_plus-L, PP-OCRv6_medium_rec for onnxruntime" in message
    for way in ("--set ppstructure-models=DIR", "inference.onnx", "--drafter rapidocr"):
        assert way in message
    assert "\n" not in message
    assert perf_counter() - started < 2


def test_missing_packages_are_named_before_anything_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DrafterError, match=r"needs paddleocr\[doc-parser\]: pip install it"):
        PPStructureDrafter(add(tmp_path, *BASE)).check()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DrafterError, match=r"no model folder at .*nowhere"):
        PPStructureDrafter(tmp_path / "nowhere").check()


def test_offline_without_models_fails_at_once_and_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.create_connection", lambda *args, **kwargs: pytest.fail("a connection was tried"))
    started = perf_counter()
    with pytest.raises(DrafterError, match="downloads are off; give a folder of models"):
        PPStructureDrafter(offline=True).check()
    assert perf_counter() - started < 1


def test_a_hub_that_does_not_answer_is_one_quick_clear_line() -> None:
    started = perf_counter()
    with pytest.raises(DrafterError, match="hub cannot be reached; give a folder of models") as caught:
        PPStructureDrafter().check()
    assert "\n" not in str(caught.value)
    assert perf_counter() - started < 3


def test_models_downloaded_earlier_serve_without_a_folder_and_without_a_hub(tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "official_models"
    for name in BASE:
        add(cache, name, folder=f"{name}_onnx")
    PPStructureDrafter(offline=True).check()
    PPStructureDrafter().check()


def test_a_remembered_failure_costs_its_time_once(tmp_path: Path) -> None:
    from PIL import Image

    from docspec.core import PageImage

    drafter = PPStructureDrafter(add(tmp_path, *BASE))  # files without content
    page = PageImage(Image.new("RGB", (50, 50), "white"), 1, 1.0, "a.png")
    with pytest.raises(DrafterError, match="cannot start on onnxruntime"):
        drafter.draft(page)
    started = thread_time()
    with pytest.raises(DrafterError, match="cannot start on onnxruntime"):
        drafter.draft(page)
    assert thread_time() - started < 0.1


def test_importing_the_drafter_imports_neither_paddle_nor_torch() -> None:
    code = (
        "import sys; import docspec.drafting.ppstructure, docspec.drafting.saved; "
        "sys.exit(' '.join({'paddleocr', 'paddlex', 'torch', 'onnxruntime'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, "")
