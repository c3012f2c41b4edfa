"""``docspec doctor`` tells what works and what to do about the rest."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from docspec import doctor, versions
from docspec.doctor import Finding, able
from tests.forked import run_forked


def finding(findings: list[Finding], name: str) -> Finding:
    return next(item for item in findings if item.name == name)


def test_a_usable_model_directory_is_found(lively_qwen: Path) -> None:
    found = list(doctor.models(str(lively_qwen)))
    assert finding(found, str(lively_qwen)).state == "ok"
    assert finding(found, "bundled reader").state != "broken", "it is not the one that would be used"


def test_a_missing_model_breaks_and_has_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for model in (str(tmp_path / "none"), str(tmp_path / "empty"), "owner/never-published"):
        item = finding(list(doctor.models(model)), model)
        assert item.state == "broken" and item.detail
        assert not able([item])


def test_an_unsupported_model_type_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "mamba"}')
    (tmp_path / "model.safetensors").touch()
    item = finding(list(doctor.models(str(tmp_path))), str(tmp_path))
    assert item.state == "broken" and "mamba" in item.detail


def test_cached_models_need_weights(tmp_path: Path) -> None:
    whole = tmp_path / "models--owner--whole" / "snapshots" / "1"
    whole.mkdir(parents=True)
    (whole / "model.safetensors").touch()
    (tmp_path / "models--owner--partial" / "snapshots" / "1").mkdir(parents=True)
    assert doctor.cached_models({"HF_HUB_CACHE": str(tmp_path)}) == ["owner/whole"]
    assert doctor.cached_models({"HF_HOME": str(tmp_path)}) == []


def test_packages_are_imported_for_real(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {item.state for item in doctor.packages()} == {"ok"}
    monkeypatch.setattr(doctor, "REQUIRED", ("no-such-package",))
    assert [item.state for item in doctor.packages()] == ["broken"]


def test_the_other_project_of_that_name_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(doctor.namesake()) == []
    facts = tmp_path / "docspec-2.2.1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: docspec\nVersion: 2.2.1\n")
    monkeypatch.syspath_prepend(tmp_path)
    [item] = doctor.namesake()
    assert item.state == "broken" and "2.2.1" in item.detail and "pip uninstall docspec" in item.remedy


def test_a_drafter_without_its_package_is_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    item = finding(list(doctor.drafters(None)), "rapidocr")
    assert item.state == "optional" and "pip install rapidocr" in item.remedy


def test_ppstructure_says_which_models_are_missing(tmp_path: Path) -> None:
    item = finding(list(doctor.drafters(tmp_path)), "ppstructure")
    assert item.state == "optional" and "PP-DocLayout_plus-L" in item.detail and item.remedy


def test_versions_name_everything_and_admit_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    assert versions.versions()["torch"] and versions.versions()["python"]
    assert versions.version_of("no-such-package") is None


def run_doctor(tmp_path: Path, *args: str, **environment: str) -> Any:
    kept = {name: value for name, value in os.environ.items() if name not in ("DOCSPEC_MODEL", "XDG_CONFIG_HOME")}
    return run_forked(["doctor", *args], text=True, env={**kept, "XDG_CONFIG_HOME": str(tmp_path), **environment})


def test_exit_code_says_whether_pages_can_be_read(tmp_path: Path, lively_qwen: Path) -> None:
    good = run_doctor(tmp_path, "--json", DOCSPEC_MODEL=str(lively_qwen))
    facts = json.loads(good.stdout)
    assert (good.returncode, facts["able"], facts["model"]) == (0, True, str(lively_qwen))
    assert {item["area"] for item in facts["findings"]} == {"package", "extra", "device", "model", "drafter"}
    bad = run_doctor(tmp_path, "--model", str(tmp_path / "none"), COLUMNS="40")
    assert bad.returncode == 1
    assert "cannot read pages here" in bad.stdout.replace("\n", " ") and "Traceback" not in bad.stderr
    assert max(len(line) for line in bad.stdout.splitlines()) <= 40
