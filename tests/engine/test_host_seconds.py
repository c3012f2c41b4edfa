"""The host's share of decoding is what proposing and tree building took, not what the model took."""

from __future__ import annotations

import time

import pytest

from docspec.core import ParseOptions, StageStats
from docspec.engine.decoder import Decoder
from docspec.engine.loop import SpecDecode
from docspec.engine.request import Request
from docspec.generation.local import make_decoder
from docspec.proposing.window import WindowProposer
from docspec.targets.registry import load_target

PAUSE = 0.004


class SlowProposer(WindowProposer):
    """Takes a known time for each proposal."""

    def propose(self, rows, limits):
        time.sleep(PAUSE * len(rows))
        return super().propose(rows, limits)


@pytest.fixture(scope="module")
def target(lively_qwen):
    return load_target(ParseOptions(model=str(lively_qwen), device="cpu")).target


@pytest.mark.parametrize("count", [1, 3])
def test_a_slow_proposer_shows_in_the_host_seconds(target, printed_page, count):
    jobs = [Request(target.encode(printed_page, "Read."), (), 12) for _ in range(count)]
    _, stats = Decoder(target, ParseOptions(), SlowProposer).speculate(jobs)
    assert (stats.steps - count) * PAUSE <= stats.host_seconds < stats.decode_seconds
    assert stats.host_share == pytest.approx(stats.host_seconds / stats.decode_seconds)


def test_a_slow_model_does_not(target, printed_page, monkeypatch):
    verify = SpecDecode.verify

    def slowly(*arguments):
        time.sleep(20 * PAUSE)
        return verify(*arguments)

    monkeypatch.setattr(SpecDecode, "verify", slowly)
    _, stats = make_decoder(target, ParseOptions()).speculate([Request(target.encode(printed_page, "Read."), (), 12)])
    assert stats.decode_seconds - stats.host_seconds >= stats.forwards * 20 * PAUSE


def test_plain_decoding_has_no_host_part(target, printed_page):
    job = Request(target.encode(printed_page, "Read."), (), 12)
    _, stats = make_decoder(target, ParseOptions()).baseline(job)
    assert stats.decode_seconds > 0
    assert stats.host_seconds == stats.host_share == 0


def test_sums_of_stages_keep_the_host_seconds():
    one = StageStats(decode_seconds=2.0, host_seconds=0.5)
    assert (one + one).host_seconds == 1.0
    assert (one + one).host_share == 0.25
