"""Shared pieces: tiny checkpoints with random weights whose greedy output is long and irregular."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from PIL import Image, ImageDraw

from tests.accounted import nothing_missing  # noqa: F401 - each test's pages are accounted for
from tests.kept_children import KeptChildren
from tests.known_wrong import KNOWN_WRONG
from tests.layers import Layers
from tests.plugged import write_metadata

os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny models: a second thread costs more than it gives
os.environ["XDG_STATE_HOME"] = os.devnull  # or tests would tell the user's docspec how fast it is
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each process that a test starts compiles docspec anew


settings.register_profile("patient", settings.default, deadline=None, max_examples=60)  # machines have other work too
settings.load_profile("patient")


def load_torchvision() -> None:
    """Imports torchvision where there is one, before transformers does.

    The build for CUDA finds none of its operators beside a CPU torch, and says so only because two of them are not even
    declared. Images are transformed without them.
    """
    if importlib.util.find_spec("torchvision") is None:
        return
    import torch

    with contextlib.suppress(Exception):
        import torchvision

        return
    global operators  # a library that is let go of takes its declarations with it
    operators = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        operators.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import torchvision  # noqa: F401


load_torchvision()


def use_own_text_and_type() -> None:
    """Lines and pages made for the reader hold the project's own words in MuPDF's fonts, so that they are the same
    whatever is installed. This runs before any test module is imported: what is read while tests are collected would
    be kept for all of them."""
    from training import corpus, fonts

    corpus.SHARE = Path("/nowhere")
    fonts.ROOTS = ()


use_own_text_and_type()


ABOUT_CHILDREN = ("isolation/", "serve/test_converter.py")
"""Tests about the children that open and draw pages: each has children of its own."""

kept_children = KeptChildren()
kept_children.give_to_handles()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """What a child says goes where its first test had it go: tests that read it have children of their own, too."""
    about_children = item.path.relative_to(Path(__file__).parent).as_posix().startswith(ABOUT_CHILDREN)
    kept_children.is_on = not about_children and "capfd" not in getattr(item, "fixturenames", ())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="all layers, not the fast tests alone (tests/layers.py)")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="files in random order, and the tests of each file")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Layers(config), "layers")


def pytest_collection_finish() -> None:
    """What is there by now stays: collecting garbage does not look at it again. And transformers spells out every
    configuration that it reads for a message that nobody is shown, which takes longer than reading it."""
    gc.collect()
    gc.freeze()
    if "transformers.configuration_utils" in sys.modules:
        from transformers import PreTrainedConfig

        PreTrainedConfig.__repr__ = object.__repr__  # type: ignore[method-assign]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """No test may depend on those before it: ``--shuffle`` shows which do. What a file's tests share is made once."""
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(KNOWN_WRONG):
            item.add_marker(pytest.mark.xfail(reason="known wrong: tests/known_wrong.py", strict=False))
    seed = config.getoption("--shuffle")
    if seed is None:
        return
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    draw = Random(seed)
    groups = draw.sample(list(files.values()), len(files))
    items[:] = [item for group in groups for item in draw.sample(group, len(group))]


LIVELINESS = 8.0
"""Factor on the decoder's matrices: plain random weights repeat one token for ever, these wander."""


@pytest.fixture(scope="session", autouse=True)
def with_methods(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The plug-in of ``methods/`` can be named as if it were installed. Returns the folders for a process's path."""
    home = tmp_path_factory.mktemp("plug-ins")
    methods = Path(__file__).parents[1] / "methods"
    write_metadata((methods / "pyproject.toml").read_text("utf-8"), home)
    sys.path.append(str(home))
    from docspec.core import plugins

    for known in (plugins._installed, plugins.plugins):
        known.cache_clear()  # test modules that were imported have asked for the names of others
    return [home, methods]


@pytest.fixture(scope="session")
def lively_qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Directory of a tiny random Qwen3-VL; it does not read, but every token depends on image and context."""
    import torch

    from training.reader.checkpoint import init

    directory = tmp_path_factory.mktemp("models") / "lively-qwen"
    init(directory, size="tiny", seed=1)
    enliven(directory, torch.float32)
    return directory


def enliven(directory: Path, dtype: object) -> None:
    """Scales the decoder matrices of the checkpoint in ``directory`` in place."""
    from safetensors.torch import load_file, save_file

    weights = load_file(directory / "model.safetensors")
    for name, value in weights.items():
        in_decoder = "layers" in name and "visual" not in name and "vision" not in name
        weights[name] = (value * LIVELINESS if in_decoder and value.ndim == 2 else value).to(dtype)
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})


@pytest.fixture(scope="session")
def printed_page() -> Image.Image:
    """A small page image with some lines of print."""
    image = Image.new("RGB", (320, 192), "white")
    draw = ImageDraw.Draw(image)
    for line in range(6):
        draw.text((10, 10 + 30 * line), f"Line {line} of a small printed page.", fill="black")
    return image
