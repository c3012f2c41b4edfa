"""docspec's drafts inside a real vLLM: the same answers, in fewer steps, whatever else a request asks for.

``DOCSPEC_VLLM_PYTHON`` names the Python of an environment that has vLLM; without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from docspec.targets.registry import BUNDLED
from tests.vllm.crops import crops_of_a_sample

PYTHON = os.environ.get("DOCSPEC_VLLM_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="DOCSPEC_VLLM_PYTHON names no Python that has vLLM")
ROOT = Path(__file__).parents[2]
CROPS = 30


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a real vLLM made of the crops of a sample, and what docspec's own engine made of them (``own``)."""
    tasks, own, ends = crops_of_a_sample(CROPS)
    file = tmp_path_factory.mktemp("vllm") / "tasks.json"
    file.write_text(json.dumps([task.as_values() for task in tasks]))
    script = Path(__file__).with_name("scenarios.py")
    ran = subprocess.run(
        [str(PYTHON), str(script), str(BUNDLED), str(file)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    made: dict[str, Any] = json.loads(ran.stdout)
    made["own"], made["ends"] = own, sorted(ends)
    for name in ("plain", "drafts", "without", "of others", "junk", "twice", "aborted", "preempted"):
        made[name] = [[token for token in one if token not in ends] for one in made[name]]
    return made


def test_answers_are_those_of_vllm_plain_and_of_docspecs_engine(found: dict[str, Any]) -> None:
    assert found["drafts"] == found["plain"] == found["own"]


def test_drafts_are_accepted_and_save_most_steps(found: dict[str, Any]) -> None:
    tokens = sum(map(len, found["own"]))
    assert found["counts"]["accepted_tokens"] > 0.6 * tokens
    assert found["counts"]["drafts"] < 0.25 * tokens


@pytest.mark.parametrize("how", ["without", "of others", "junk"])
def test_no_draft_can_change_an_answer(found: dict[str, Any], how: str) -> None:
    assert found[how] == found["plain"]


def test_a_request_knows_no_draft_of_another(found: dict[str, Any]) -> None:
    """The same crops right after those that had drafts: next to nothing is accepted, of wrong drafts no more."""
    tokens = sum(map(len, found["own"]))
    assert found["counts without"]["accepted_tokens"] < 0.1 * tokens
    assert found["counts of others"]["accepted_tokens"] < 0.3 * tokens


def test_the_same_request_several_times_in_a_batch(found: dict[str, Any]) -> None:
    assert found["twice"] == [found["plain"][0]] * 6 + found["plain"][1:3]


def test_requests_that_were_preempted_go_on_where_they_were(found: dict[str, Any]) -> None:
    assert found["preemptions"] > 0 and found["preempted"] == found["plain"][:8]


def test_prompts_that_vllm_has_cached_are_answered_alike(found: dict[str, Any]) -> None:
    assert found["prefixes cached"] > 0 and found["without"] == found["plain"]


def test_requests_end_in_the_middle_of_a_chain(found: dict[str, Any]) -> None:
    """At a limit of tokens, and at a token that was drafted and ends them."""
    short = [[token for token in answer if token not in found["ends"]] for answer in found["short"]]
    assert short == [answer[:4] for answer in found["plain"]]
    for answer, whole in zip(found["ended"], found["plain"], strict=False):
        last = answer[-1]
        if last not in found["ends"]:
            assert answer == whole[: whole.index(last) + 1]


def test_stop_strings_grammars_and_logprobs_are_as_without_drafts(found: dict[str, Any]) -> None:
    assert found["stop"] == found["plain stop"]
    assert found["choice"] == found["plain choice"] and found["pattern"] == found["plain pattern"]
    for one, other in zip(found["logprobs"], found["plain logprobs"], strict=True):
        assert one == pytest.approx(other, abs=2e-3)


def test_aborted_requests_leave_the_others_alone_and_nothing_behind(found: dict[str, Any]) -> None:
    assert found["aborted"] == [found["plain"][index] for index in range(0, 8, 2)]
    assert len(found["left"]) <= 1, "ended requests are forgotten with the next step"
