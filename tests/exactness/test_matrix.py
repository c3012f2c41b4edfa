"""What is written is what ``generate`` writes, whatever the family, runner, proposer, rows and attention.

On the simulated device the tokens are the CPU's, and a step waits once and copies little.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from pkgutil import iter_modules

import pytest
from docspec_methods import draft_model, parallel

from docspec.core import ParseOptions
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.targets import families
from docspec.targets.registry import load_target
from docspec.targets.stepping.bucketed import BucketedSteps
from tests.exactness.checkpoints import CASES, NEW_TOKENS, Checkpoint, checkpoint, drafts_of, generated
from tests.exactness.matrix import AXES, MATRIX, Combination, pairs, possible_pairs
from tests.no_capture import NoCapture

UPLOADS = 2
"""A step's inputs, and which keys and values are kept of its trees."""

DEVICES = {"device": ("openreg:1", "off"), "graphs": ("openreg:0", "cuda")}


def test_every_family_and_every_pair_is_here():
    assert {*CASES, "dots_ocr"} == {module.name for module in iter_modules(families.__path__)}
    assert pairs(MATRIX) == possible_pairs()
    assert len(MATRIX) < 1.2 * len(AXES["family"]) * len(AXES["runner"])


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Callable[[str], tuple[Checkpoint, list[tuple[int, ...]]]]:
    """A family's checkpoint, and what ``generate`` writes for its pictures."""

    @lru_cache(maxsize=1)
    def make(family: str) -> tuple[Checkpoint, list[tuple[int, ...]]]:
        files = checkpoint(family, tmp_path_factory.mktemp("exactness") / family)
        target = load_target(ParseOptions(model=str(files.path), dtype="float32", device="cpu")).target
        written = [generated(target, target.encode(picture, "Read.")) for picture in files.pictures]
        assert len(set(written)) == len(written) and len(set().union(*written)) > 15, "too regular to test with"
        return files, written

    return make


@pytest.mark.parametrize("case", sorted(MATRIX), ids=lambda case: case.id)
def test_what_is_written_is_what_generate_writes(case: Combination, made, request, monkeypatch):
    files, expected = made(case.family)
    where, graphs = DEVICES.get(case.runner, ("cpu", "off"))
    device = request.getfixturevalue("device") if case.runner in DEVICES else None
    has_model = case.proposer in ("model", "parallel")
    options = ParseOptions(
        model=str(files.path),
        dtype="float32",
        device=where,
        graphs=graphs,
        attention=case.attention.split()[0],  # type: ignore[arg-type]
        align=f"{case.proposer}:{files.path}" if has_model else case.proposer,
    )
    monkeypatch.setattr(draft_model, "ENOUGH", 0.0)  # it drafts, however unsure
    monkeypatch.setattr(parallel, "window_of", lambda _: 4)
    target = load_target(options).target
    if case.runner == "buckets":
        target.steps = BucketedSteps(target, NoCapture())
    prompts = [target.encode(picture, "Read.") for picture in files.pictures]
    if case.runner == "pieces":
        monkeypatch.setattr(target, "piece", prompts[0].length // 3)
    engine = make_decoder(target, options)
    requests = [
        Request(prompt, () if has_model else drafts_of(tokens), NEW_TOKENS)
        for prompt, tokens in zip(prompts, expected, strict=True)
    ]
    if case.rows == "alone":
        requests, expected = requests[:1], expected[:1]

    def written() -> tuple[list[tuple[int, ...]], int]:
        outputs, stats = engine.speculate(requests, max_rows=2 if case.rows == "in two rows" else None)
        return [output.tokens for output in outputs], stats.accepted

    if device is None:
        tokens, accepted = written()
        assert tokens == expected
    else:
        for _ in range(3 if graphs == "cuda" else 1):  # steps as they are, while they are captured, and replayed
            with device.counted():
                tokens, accepted = written()
            assert tokens == expected
        assert target.steps.report.mode == ("eager" if graphs == "off" else "cuda"), target.steps.report
        if not has_model and case.rows != "in two rows":  # a row that enters is prefilled between steps
            _waits_once(device, engine, requests)
    if case.proposer not in ("lookup", "parallel"):  # words that need not come again; drafts that nobody waits for
        assert accepted > 0
    assert engine.baseline(requests[0])[0].tokens == expected[0]


def _waits_once(device, engine, requests) -> None:
    """Counts, of each step but the first, what waited and what was copied to the device."""
    counts = []
    with device.counted():
        engine.speculate(
            requests, lambda _: counts.append((device.count(*device.DOWNLOADS), device.count(*device.UPLOADS)))
        )
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(counts)]
    assert len(steps) > 1
    assert max(waits for waits, _ in steps) == 1, device.WHERE.most_common(12)
    assert max(copies for _, copies in steps) <= UPLOADS, device.WHERE.most_common(12)
