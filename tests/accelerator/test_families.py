"""Every known family on an accelerator: its tokens are the CPU's, and a step waits once and copies little.

Eager on the second device, in graphs on the first; alone, side by side, plainly and with its prompt in pieces.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.hierarchy.decoding import make_engine
from docspec.targets import families
from docspec.targets.registry import load_target
from tests.targets.dots_checkpoint import write_tiny_dots_ocr
from tests.targets.families.checkpoint import write
from tests.targets.families.test_families import CASES, printed

TOKENS = 12
UPLOADS = 2
"""A step's inputs, and which keys and values are kept of its trees."""


OWN = "dots_ocr"
"""docspec's own class has a checkpoint of its own."""


def test_every_family_is_here():
    known = {file.stem for file in Path(families.__file__).parent.glob("*.py")} - {"__init__"}
    assert known == {*CASES, OWN}


@pytest.fixture(scope="module", params=[*CASES, OWN])
def family(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def zoom(family) -> int:
    return 1 if family == OWN else import_module(f"tests.targets.families.{family}").CASE.zoom


@pytest.fixture(scope="module")
def options(family, tmp_path_factory) -> ParseOptions:
    directory = tmp_path_factory.mktemp("accelerator") / family
    if family == OWN:
        write_tiny_dots_ocr(directory)
    else:
        write(import_module(f"tests.targets.families.{family}").CASE, directory)
    return ParseOptions(model=str(directory), dtype="float32", device="cpu", graphs="off")


def requests_of(target, zoom, drafts=()):
    pictures = [printed(w * zoom, h * zoom) for w, h in ((160, 96), (96, 32), (48, 64))]
    prompts = [target.encode(picture, "Read.") for picture in pictures]
    return [Request(prompt, each, TOKENS) for prompt, each in zip(prompts, drafts or [()] * 3, strict=True)]


@pytest.fixture(scope="module")
def expected(zoom, options):
    """The CPU's tokens, written plainly."""
    target = load_target(options).target
    engine = make_engine(target, options)
    return [engine.baseline(request)[0].tokens for request in requests_of(target, zoom)]


def with_errors(tokens):
    return tuple((token + 1) % 256 if index % 3 == 2 else token for index, token in enumerate(tokens))


def per_step(device, engine, requests):
    """Outputs, and of each step but the first what waited and what was copied to the device."""
    counts = []

    def note(rows):
        counts.append((device.count(*device.DOWNLOADS), device.count(*device.UPLOADS)))

    with device.counted():
        outputs, _ = engine.speculate(requests, note)
    return [output.tokens for output in outputs], [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(counts)]


@pytest.mark.parametrize(("graphs", "where"), [("off", "openreg:1"), ("cuda", "openreg:0")])
def test_an_accelerator_writes_what_the_cpu_writes(device, zoom, options, expected, graphs, where, monkeypatch):
    options = replace(options, device=where, graphs=graphs)
    target = load_target(options).target
    engine = make_engine(target, options)
    drafts = [(with_errors(tokens), tokens[9:]) for tokens in expected]
    requests = requests_of(target, zoom, drafts)
    for _ in range(0 if graphs == "off" else 2):  # steps as they are, then while they are captured
        assert per_step(device, engine, requests)[0] == expected
    assert per_step(device, engine, requests[:1])[0] == expected[:1]
    assert engine.baseline(requests[0])[0].tokens == expected[0]
    written, steps = per_step(device, engine, requests)
    assert written == expected and len(steps) > 2
    assert max(waits for waits, _ in steps) == 1, device.WHERE.most_common(12)
    assert max(copies for _, copies in steps) <= UPLOADS, device.WHERE.most_common(12)
    assert target.steps.report.mode == ("eager" if graphs == "off" else "cuda"), target.steps.report
    monkeypatch.setattr(target, "piece", requests[0].prompt.length // 3)
    assert engine.speculate(requests[:1])[0][0].tokens == expected[0]
