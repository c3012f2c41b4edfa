"""The kit for vLLM, of wheels made here: parts come in any order, the last installs, broken ones are refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from benchmarks.device.vllm_kit import made
from benchmarks.device.vllm_kit.made import cut, machine_packages, prepare, stub, travelling
from docspec.core import UsageError

SIZE = 20_000


def _wheel(folder: Path, name: str, content: str) -> Path:
    """A wheel with one module, of about 18 kB whatever its content."""
    file = stub(folder, name, "1.0")
    with zipfile.ZipFile(file, "a") as packed:
        packed.writestr(f"{name}.py", content + "#" * 18_000)
    return file


@pytest.fixture
def kit(tmp_path):
    """Folders of a kit with two packages, and where it goes."""
    wheels = [_wheel(tmp_path, "alpha", "__version__ = '7'\n"), _wheel(tmp_path, "beta", "import alpha\n")]
    out = tmp_path / "out"
    (out / "part-99").mkdir(parents=True)
    count = cut(wheels, out, ("beta", "alpha"), SIZE, lambda _: None)
    parts = sorted(out.glob("part-*"))
    assert len(parts) == count == 3  # two wheels and the archive's own bytes, and nothing of an earlier kit
    return parts, tmp_path / "place"


def _receive(part: Path, place: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(part / "receive.py"), str(place)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def _modules(place: Path) -> set[str]:
    return {file.name for file in (place / "site").glob("*.py")}


def test_parts_have_at_most_the_size(kit):
    sizes = [(part / "data").stat().st_size for part in kit[0]]
    assert sizes[:-1] == [SIZE] * 2 and 0 < sizes[-1] <= SIZE


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 1, 2, 1, 0)])
def test_the_last_part_installs_in_whatever_order_they_come(kit, order):
    parts, place = kit
    for earlier in order[:-1]:
        done = _receive(parts[earlier], place)
        assert done.returncode == 0, done.stderr
        assert "missing: " in done.stdout and not (place / "site").exists()
    done = _receive(parts[order[-1]], place)
    assert done.returncode == 0, done.stdout + done.stderr
    assert _modules(place) == {"alpha.py", "beta.py"}
    assert "import alpha: 7, " in done.stdout and "import beta: " in done.stdout
    again = _receive(parts[0], place)  # nothing is left to do but the imports
    assert again.returncode == 0 and "import alpha: 7" in again.stdout and "installed" not in again.stdout


def test_a_broken_part_is_refused_and_may_be_sent_again(kit):
    parts, place = kit
    assert _receive(parts[0], place).returncode == 0
    data = (parts[1] / "data").read_bytes()
    (parts[1] / "data").write_bytes(data[:-1])
    done = _receive(parts[1], place)
    assert done.returncode == 1 and "part 2: broken on the way" in done.stderr
    assert "missing: 2" in _receive(parts[2], place).stdout
    (parts[1] / "data").write_bytes(data)
    done = _receive(parts[1], place)
    assert done.returncode == 0 and _modules(place) == {"alpha.py", "beta.py"}


def test_parts_that_were_damaged_over_there_are_asked_for_again(kit):
    parts, place = kit
    for part in parts[:2]:
        _receive(part, place)
    with (place / "wheels.tar").open("r+b") as file:
        file.seek(SIZE // 2)
        file.write(b"damaged")
    done = _receive(parts[2], place)
    assert done.returncode == 1 and "send them again" in done.stderr and not (place / "site").exists()
    assert "missing: 2, 3" in _receive(parts[0], place).stdout


def test_a_part_of_another_kit_is_refused(kit, tmp_path):
    parts, place = kit
    _receive(parts[0], place)
    cut([_wheel(tmp_path, "gamma", "")], tmp_path / "other", (), SIZE, lambda _: None)
    before = (place / "wheels.tar").read_bytes()
    done = _receive(tmp_path / "other" / "part-01", place)
    assert done.returncode == 1 and "another kit" in done.stderr
    assert (place / "wheels.tar").read_bytes() == before


def test_an_import_that_fails_is_named_and_the_others_are_tried(tmp_path):
    wheels = [_wheel(tmp_path, "alpha", "raise RuntimeError('no GPU here')\n"), _wheel(tmp_path, "beta", "")]
    cut(wheels, tmp_path / "out", ("alpha", "beta"), 2**20, lambda _: None)
    done = _receive(tmp_path / "out" / "part-01", tmp_path / "place")
    assert done.returncode == 1
    assert "import alpha: FAILED: RuntimeError: no GPU here" in done.stdout and "import beta: , " in done.stdout


def test_the_same_wheels_make_the_same_kit_whenever_they_were_downloaded(tmp_path):
    wheel, kits = _wheel(tmp_path, "alpha", ""), set()
    for seconds in (1_000_000_000, 1_500_000_000):
        os.utime(wheel, (seconds, seconds))
        cut([wheel], tmp_path / "out", (), SIZE, lambda _: None)
        kits.add(json.loads((tmp_path / "out" / "part-01" / "part.json").read_text())["kit_sha256"])
    assert len(kits) == 1


def test_what_the_machine_has_is_pinned_in_one_version_each():
    text = (Path(made.__file__).with_name("machine.txt")).read_text()
    machine = machine_packages(text)
    assert machine["torch"] == "2.11.0" and "numpy" not in machine
    assert all(machine.values()) and len(machine) == sum("==" in line for line in text.splitlines())


def test_pip_takes_an_empty_package_for_what_the_machine_has(tmp_path):
    """Resolution without an index ends with the package that needs it, and needs nothing that only it would need."""
    file = stub(tmp_path / "stubs", "docspec-some-torch", "2.11.0")
    needs = stub(tmp_path, "needs", "1.0")
    with zipfile.ZipFile(needs, "a") as packed:
        about = packed.read("needs-1.0.dist-info/METADATA").decode() + "Requires-Dist: docspec_some_torch==2.11.0\n"
    with zipfile.ZipFile(needs, "w") as packed:
        packed.writestr("needs-1.0.dist-info/METADATA", about)
        packed.writestr("needs-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr("needs-1.0.dist-info/RECORD", "")
    report = tmp_path / "report.json"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--dry-run", "--ignore-installed"]
    subprocess.run([*pip, "--report", str(report), str(file), str(needs)], check=True, timeout=120)
    names = {one["metadata"]["name"] for one in json.loads(report.read_text())["install"]}
    assert names == {"docspec-some-torch", "needs"}


def test_a_python_of_another_version_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(made, "PYTHON", "3.99")
    with pytest.raises(UsageError, match=r"the machine has 3\.99"):
        prepare(tmp_path / "out", sys.executable, lambda _: None)
    with pytest.raises(UsageError, match="no-python"):
        prepare(tmp_path / "out", str(tmp_path / "no-python"), lambda _: None)


def test_a_package_travels_from_an_index_in_a_folder_and_not_from_the_folder_of_stubs(tmp_path):
    """pip's report as it is written for wheels of a folder: their address begins with file:, too."""
    urls = {
        "torch": (tmp_path / "work/stubs/torch-2.11.0-py3-none-any.whl").as_uri(),
        "psutil": (tmp_path / "index/psutil-7.0.whl").as_uri(),
        "numpy": (tmp_path / "work-of-others/numpy-2.3.5.whl").as_uri(),
        "fastapi": "https://example.org/fastapi-1.0.whl",
    }
    report = {
        "install": [
            {"metadata": {"name": name, "version": "1"}, "download_info": {"url": url}} for name, url in urls.items()
        ]
    }
    assert travelling(report, tmp_path / "work") == {"psutil": "1", "numpy": "1", "fastapi": "1"}
