"""Models from a stand-in for the hub: asked about, fetched, resumed, refused when damaged, found and removed again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from docspec.core import ModelError
from docspec.models.hub import broken_files
from docspec.offline import SWITCHES
from docspec.targets.estimate import check_room, estimate, gib
from docspec.targets.registry import BUNDLED, split_revision
from tests.forked import run_forked
from tests.models.standin import COMMIT, Hub, serving

NAME = "acme/reader"
Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def hub() -> Iterator[Hub]:
    """The bundled reader as a published model, with a file that nobody needs."""
    files = {file.name: file.read_bytes() for file in BUNDLED.iterdir() if file.is_file()}
    with serving(NAME, {**files, "training.log": b"x" * 1000}) as standin:
        yield standin


@pytest.fixture
def models(hub: Hub, tmp_path: Path) -> Command:
    """``docspec models`` in a process of its own, with the stand-in as hub and an empty cache."""
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf"), "COLUMNS": "200"}
    environment["NO_PROXY"] = "127.0.0.1"
    for name in (*SWITCHES, "HF_HUB_CACHE", "HF_TOKEN"):  # other tests of this process go offline
        environment.pop(name, None)

    def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return run_forked(["models", *words], text=True, env=environment | more, stdin=subprocess.DEVNULL)

    return run


def cached(tmp_path: Path) -> Path:
    return tmp_path / "hf" / "hub" / "models--acme--reader" / "snapshots" / COMMIT


def test_licence_and_size_are_shown_first_and_nothing_is_fetched_without_consent(models: Command, hub: Hub) -> None:
    done = models("download", NAME)
    assert done.returncode == 2 and "say --yes" in done.stderr
    assert f"revision {COMMIT}: licence mit, 13.6 MiB in 9 files" in done.stderr
    assert hub.sent == []


def test_a_model_is_fetched_found_checked_run_and_removed(models: Command, hub: Hub, tmp_path: Path) -> None:
    fetched = models("download", NAME, "--yes")
    assert (fetched.returncode, fetched.stdout.strip()) == (0, str(cached(tmp_path)))
    assert {name for name, _ in hub.sent} == hub.files.keys() - {"training.log", "MODEL_CARD.md"}
    asked = len(hub.sent)
    assert models("path", NAME).stdout.strip() == str(cached(tmp_path))
    held = {entry["name"]: entry for entry in json.loads(models("list", "--json").stdout)}
    assert held[NAME]["held"][0]["revision"] == COMMIT and held["Qwen/Qwen3-VL-2B-Instruct"]["held"] == []
    shown = models("show", NAME, "--offline")
    assert "revision:    " + COMMIT in shown.stdout
    assert f"needs {gib(estimate(str(BUNDLED), 'bfloat16', 1).weights)} for weights" in shown.stdout
    checked = models("check", NAME)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "every file is as published" in checked.stdout and "qwen3_vl on cpu" in checked.stdout
    removed = models("remove", NAME, "--yes")
    assert removed.returncode == 0 and "13.6 MiB freed" in removed.stderr
    gone = models("path", NAME)
    assert gone.returncode == 1 and f"fetch it with: docspec models download {NAME}" in gone.stderr
    assert len(hub.sent) == asked


def test_a_broken_connection_goes_on_where_it_stopped(models: Command, hub: Hub, tmp_path: Path) -> None:
    hub.cut["model.safetensors"] = [12_000_000]  # the library writes ten million bytes at a time
    done = models("download", f"{NAME}@{COMMIT}", "--yes")
    assert done.returncode == 0, done.stderr
    starts = [first for name, first in hub.sent if name == "model.safetensors"]
    assert len(starts) == 2 and starts[0] == 0 and 0 < starts[1] <= 12_000_000
    assert broken_files(cached(tmp_path)) == []


def test_what_a_broken_run_has_fetched_is_not_fetched_twice(models: Command, hub: Hub) -> None:
    hub.files["other.safetensors"] = save({"a": np.zeros(1000)})
    hub.spoilt.add("model.safetensors")
    damaged = models("download", NAME, "--yes")
    assert damaged.returncode == 1 and "Traceback" not in damaged.stderr
    assert "arrived damaged and were removed" in damaged.stderr and "other content than published" in damaged.stderr
    hub.spoilt.clear()
    hub.sent.clear()
    assert models("download", NAME, "--yes").returncode == 0
    assert {name for name, _ in hub.sent} == {"model.safetensors"}


def test_a_changed_file_is_named_and_nothing_is_loaded(models: Command, hub: Hub, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    assert models("download", NAME, "--yes", "--to", str(folder)).returncode == 0
    assert models("check", str(folder), "--files-only").stdout.strip().endswith("every file is as published")
    config = folder / "config.json"
    config.write_text(config.read_text(encoding="utf-8").replace("{", "{ ", 1), encoding="utf-8")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    done = models("check", str(folder))
    assert done.returncode == 1 and done.stdout == ""
    assert "config.json: " in done.stderr and "tokenizer.json: 2 bytes instead of" in done.stderr


def test_without_a_network_one_line_says_so(models: Command, hub: Hub) -> None:
    away = models("download", NAME, "--yes", HF_ENDPOINT="http://127.0.0.1:9")
    assert away.returncode == 1 and "cannot be had from http://127.0.0.1:9" in away.stderr
    offline = models("download", NAME, "--yes", "--offline")
    assert offline.returncode == 1 and "offline is asked for" in offline.stderr
    switched = models("show", NAME, HF_HUB_OFFLINE="1")
    assert switched.returncode == 1 and "offline is asked for" in switched.stderr
    for done in (away, offline, switched):
        assert len(done.stderr.splitlines()) == 1
    assert hub.sent == []


def test_what_the_hub_does_not_have_or_give_is_told(models: Command, hub: Hub) -> None:
    assert "has no such model" in models("show", "acme/other").stderr
    assert "has no such revision" in models("download", f"{NAME}@v9", "--yes").stderr
    hub.gated = True
    assert "those who accept its licence" in models("download", NAME, "--yes").stderr
    assert "cannot be read" not in models("show", "./nowhere").stderr


def test_weights_that_were_cut_off_are_found_without_hashes(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(BUNDLED, folder)
    assert broken_files(folder) == []
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "model-2.safetensors"}}')
    assert [file.name for file in broken_files(folder)] == ["model-2.safetensors", "model.safetensors"]
    weights.write_bytes(b"\xff" * 100)
    with pytest.raises(ModelError, match="no whole safetensors file"):
        estimate(str(folder), "float32", 100)


def test_memory_is_reckoned_from_headers_and_said_before_it_runs_out() -> None:
    import torch

    from docspec.core import ParseOptions
    from docspec.targets.registry import load_target

    wanted = estimate(str(BUNDLED), "float32", 1000, rows=8)
    loaded = load_target(ParseOptions(model="mini", device="cpu"))
    held = sum(parameter.nbytes for parameter in loaded.target.model.parameters())
    assert abs(wanted.weights - held) < 0.01 * held
    assert wanted.keys_values == 8000 * loaded.target.kv_spec.bytes_per_slot()
    assert loaded.target.kv_spec.dtype == torch.float32
    assert check_room("x", wanted, None) == check_room("x", wanted, 2**40) == ""
    tight = check_room("acme/reader", wanted, wanted.weights + 1)
    assert "for keys and values at 8 rows of 1,000 tokens" in tight and "kv-memory" in tight
    with pytest.raises(ModelError, match=r"needs .* are free: it cannot be loaded here"):
        check_room("acme/reader", wanted, wanted.weights - 1)


def test_a_name_may_hold_a_revision() -> None:
    assert split_revision("a/b@v1") == ("a/b", "v1") and split_revision("a/b") == ("a/b", None)


def test_of_gguf_files_one_is_fetched_with_its_picture_tower(tmp_path: Path) -> None:
    from docspec.core import ModelError
    from docspec.generation.llama.opening import gguf_of

    names = ["r-Q4_K_M.gguf", "r-Q8_0.gguf", "mmproj-r-Q8_0.gguf", "mmproj-r-F16.gguf", "README.md"]
    environment = {**os.environ, "HF_HOME": str(tmp_path / "hf"), "NO_PROXY": "127.0.0.1"}
    for name in (*SWITCHES, "HF_HUB_CACHE", "HF_TOKEN"):
        environment.pop(name, None)
    with serving("acme/reader-GGUF", {name: name.encode() for name in names}) as hub:
        command = ["models", "download", "acme/reader-GGUF", "--yes"]

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            env = environment | {"HF_ENDPOINT": hub.url}
            return run_forked([*command, *words], text=True, env=env)

        fetched = run()
        assert fetched.returncode == 0, fetched.stderr
        file = Path(fetched.stdout.strip())
        assert file.name == "r-Q8_0.gguf" and file.read_text() == "r-Q8_0.gguf"
        assert sorted(one.name for one in file.parent.iterdir()) == ["mmproj-r-F16.gguf", "r-Q8_0.gguf"]
        assert gguf_of(str(file)) == gguf_of(str(file.parent)) == file
        assert Path(run("--format", "q4_k").stdout.strip()).name == "r-Q4_K_M.gguf"
        with pytest.raises(ModelError, match="has several"):
            gguf_of(str(file.parent))
        unknown = run("--format", "q5")
        assert unknown.returncode == 1 and "r-Q4_K_M.gguf, r-Q8_0.gguf" in unknown.stderr
