"""What requests say is understood or left, never a fault; a speculated token gets dearer as the batch grows."""

from __future__ import annotations

import logging
import random
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.proposing.chains import PRIOR_PRICE, StepCost
from docspec.vllm import runner
from docspec.vllm.lengths import REST, is_own_schedule, own_schedule, trust_in
from docspec.vllm.request import MOST_TOKENS, drafts_in

ROOT = Path(__file__).parents[2]


def tokenize(text: str) -> list[int]:
    return list(text.encode())  # raises as tokenizers do where a text is none


@pytest.mark.parametrize(
    ("given", "drafts"),
    [
        (None, ()),
        ({}, ()),
        ({"docspec_drafts": "ab"}, ((97, 98),)),
        ({"docspec_drafts": ["ab", "c"]}, ((97, 98), (99,))),
        ({"docspec_drafts": [1, 2, 3]}, ((1, 2, 3),)),
        ({"docspec_drafts": [[1, 2], "a", []]}, ((1, 2), (97,))),
        ({"docspec_drafts": [[1, -2], [1.5], [True], None, {}, "a"]}, ((97,),)),
        ({"docspec_drafts": [[1, 127], [1, 128], "b"]}, ((1, 127), (98,))),
        ({"docspec_drafts": [[128]]}, ()),
        ({"docspec_drafts": "a\ud800"}, ((97, 63),)),
        ({"docspec_drafts": 7}, ()),
        ({"docspec_drafts": {"a": 1}}, ()),
    ],
)
def test_drafts_are_texts_or_tokens_and_anything_else_counts_for_nothing(given, drafts) -> None:
    """Tokens that the model does not have are no tokens: vLLM would look them up."""
    assert drafts_in(given, tokenize, 128).drafts == drafts


def test_kinds_are_known_and_drafts_are_bounded() -> None:
    assert drafts_in({"docspec_kind": "table"}, tokenize, 128).kind == "table"
    assert drafts_in({"docspec_kind": ["x"]}, tokenize, 128).kind == "text"
    many = drafts_in({"docspec_drafts": ["a" * MOST_TOKENS] * 3}, tokenize, 128)
    assert sum(map(len, many.drafts)) == MOST_TOKENS


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(JSON, JSON)
def test_no_request_can_be_a_fault(drafts, kind) -> None:
    said = drafts_in({"docspec_drafts": drafts, "docspec_kind": kind}, tokenize, 256)
    assert all(isinstance(token, int) and token >= 0 for draft in said.drafts for token in draft)


@settings(deadline=None)
@given(st.floats(1e-4, 0.1), st.floats(1e-6, 1e-2), st.floats(1e-6, 1e-2), st.integers(0, 1 << 30))
def test_what_rows_and_speculated_tokens_add_to_a_step_is_found(fixed, row, token, seed) -> None:
    cost, chosen = StepCost(), random.Random(seed)
    for _ in range(60):
        rows, speculated = chosen.randrange(1, 65), chosen.randrange(400)
        cost.note(rows, speculated, fixed + row * rows + token * speculated)
    found = [size * each for size, each in zip((1, 32, 200), cost.plane, strict=True)]
    assert found == pytest.approx([fixed, 32 * row, 200 * token], abs=0.01 * (fixed + 32 * row + 200 * token))
    prices = [cost.price(rows) for rows in (1, 4, 16, 64, 256)]
    assert prices == sorted(prices) and prices[0] >= 0 and prices[-1] <= 1


@pytest.mark.parametrize("drafted", [0, 30])
def test_steps_that_are_all_alike_leave_the_price_between_nothing_and_a_token_of_theirs(drafted: int) -> None:
    cost = StepCost()
    for _ in range(100):
        cost.note(16, drafted, 0.02)
    assert sum(cost.plane) > 0 and cost.plane[0] + 16 * cost.plane[1] + drafted * cost.plane[2] == pytest.approx(0.02)
    assert 0 < cost.price(1) < cost.price(16) <= 1


def test_before_anything_is_known_a_token_is_cheap_alone_and_dear_in_a_full_batch() -> None:
    cost = StepCost()
    assert cost.price(1) == PRIOR_PRICE and cost.price(128) == 1.0
    cost.note(1, 2, 0.01)
    assert 0 < cost.price(1) < 0.05 and cost.row_seconds(4) < cost.row_seconds(1)


def test_a_version_that_nobody_tried_is_told_of_once_for_all_processes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(runner.SAID, "")
    monkeypatch.delenv(runner.SAID)
    with caplog.at_level(logging.WARNING, "vllm.docspec"):
        for version in (*runner.TRIED, f"{runner.TRIED[0]}.1"):
            runner.say_version(version)
        assert caplog.messages == []
        runner.say_version("9.1")
        assert len(caplog.messages) == 1 and "9.1" in caplog.text and "tried all the same" in caplog.text
        monkeypatch.setenv(runner.SAID, "1")  # a process of vLLM's that another one has started
        runner.say_version("9.1")
    assert len(caplog.messages) == 1


def test_v1_says_once_what_it_costs(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    module = ModuleType("vllm.v1.worker.gpu_model_runner")
    module.GPUModelRunner = type("GPUModelRunner", (), {"execute_model": lambda self, scheduled: scheduled})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with caplog.at_level(logging.WARNING, "vllm.docspec"):
        for _ in range(2):
            runner.attach(Steps)
    assert len(caplog.messages) == 1 and "asynchronous scheduling off" in caplog.text
    made = module.GPUModelRunner()
    assert made.execute_model(1) == 1
    made.drafter = Steps()
    assert made.execute_model(2) == 2 and made.drafter.begun == [(made, 2)]


class Steps:
    def __init__(self) -> None:
        self.begun: list[tuple[object, object]] = []

    def begin_step(self, made: object, scheduled: object) -> None:
        self.begun.append((made, scheduled))


def test_a_request_whose_drafts_do_not_help_rests_and_is_tried_again() -> None:
    assert trust_in(None) is None and trust_in({"docspec_drafts": []}) is None
    trust = trust_in({"docspec_drafts": ["text"]})
    wrong = 0
    while trust.speculates():
        trust.verified(0)
        wrong += 1
    assert 1 < wrong < 16 and sum(trust.speculates() for _ in range(REST - 1)) == 0
    assert trust.speculates(), "once more"
    trust.verified(12)
    assert all(trust.speculates() for _ in range(8))


@pytest.mark.parametrize("rows", [1, 2, 64])
def test_graphs_are_captured_for_the_full_length_and_for_none(rows: int) -> None:
    speculative = SimpleNamespace(num_speculative_tokens=15, num_speculative_tokens_per_batch_size=None)
    config = SimpleNamespace(scheduler_config=SimpleNamespace(max_num_seqs=rows), speculative_config=speculative)
    assert not is_own_schedule(config)
    speculative.num_speculative_tokens_per_batch_size = own_schedule(config)
    assert is_own_schedule(config)
    sizes = {size: length for first, last, length in own_schedule(config) for size in range(first, last + 1)}
    assert sorted(sizes) == list(range(1, rows + 1)) and set(sizes.values()) == ({15, 0} if rows > 1 else {15})
    speculative.num_speculative_tokens_per_batch_size = [(1, 64, 7)]
    assert not is_own_schedule(config), "a user's own is kept"


def test_vllm_finds_the_plug_in_which_leaves_its_process_as_it_is() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["vllm.general_plugins"] == {"docspec": "docspec.vllm.runner:register"}
    code = (
        "import os, sys, types; sys.modules['vllm'] = types.ModuleType('vllm'); before = dict(os.environ)\n"
        "from docspec.vllm.runner import register; register()\n"
        "print(dict(os.environ) == before, [name for name in ('torch', 'numpy') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "True []\n", ran.stderr
