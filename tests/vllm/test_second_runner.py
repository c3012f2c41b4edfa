"""docspec's drafts under vLLM's Model Runner V2: the real runner of vLLM 0.33, asynchronous, on a processor.

``DOCSPEC_VLLM_PYTHON`` names the Python of an environment to which ``integrations/vllm/add_second_runner.sh`` has added
it; without it these tests are skipped. What a processor cannot show: a GPU's streams, and captured graphs.
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
SECOND = Path(str(PYTHON)).parent.parent / "second-runner"
pytestmark = pytest.mark.skipif(
    not SECOND.exists(), reason="DOCSPEC_VLLM_PYTHON names no Python beside a second runner"
)
ROOT = Path(__file__).parents[2]
CROPS = 8
ANSWERED = ("drafts", "without", "half", "of others", "junk", "preempted")


def in_vllm(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """vLLM 0.33's Python."""
    path = os.pathsep.join((str(SECOND), str(ROOT)))
    return subprocess.run(
        [str(PYTHON), *command],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the second runner made of crops of a sample, and what docspec's own engine made of them (``own``)."""
    tasks, own, ends = crops_of_a_sample(CROPS)
    file = tmp_path_factory.mktemp("second") / "tasks.json"
    file.write_text(json.dumps([task.as_values() for task in tasks]))
    ran = in_vllm(str(Path(__file__).with_name("second_runner.py")), str(BUNDLED), str(file))
    assert ran.returncode == 0, ran.stderr[-4000:]
    made: dict[str, Any] = json.loads(ran.stdout)
    for name in ANSWERED:
        made[name] = [[token for token in one if token not in ends] for one in made[name]]
    made["own"], made["ends"] = own, ends
    return made


def test_the_second_runner_has_docspecs_speculator_and_scheduler_and_stays_asynchronous(found: dict[str, Any]) -> None:
    assert found["classes"] == [
        "vllm.v1.worker.cpu.model_runner.CPUModelRunner",
        "docspec.vllm.speculator.DraftSpeculator",
        "docspec.vllm.scheduler.DraftScheduler",
    ]
    assert found["asynchronous"] is True


@pytest.mark.parametrize("how", ANSWERED)
def test_answers_are_those_of_docspecs_engine_whatever_is_drafted(found: dict[str, Any], how: str) -> None:
    assert found[how] == found["own"][: len(found[how])]


def test_drafts_are_accepted_and_save_most_steps(found: dict[str, Any]) -> None:
    tokens = sum(map(len, found["own"]))
    assert found["counts"]["accepted_tokens"] > 0.6 * tokens and found["counts"]["drafts"] < 0.3 * tokens


def test_requests_without_drafts_have_no_token_verified(found: dict[str, Any]) -> None:
    """Alone nothing at all; beside requests with drafts, these alone are verified."""
    assert found["counts without"]["draft_tokens"] == 0
    assert 0 < found["counts half"]["drafts"] < 0.7 * found["counts"]["drafts"]


def test_a_limit_ends_a_chain(found: dict[str, Any]) -> None:
    short = [[token for token in answer if token not in found["ends"]] for answer in found["short"]]
    assert short == [answer[:4] for answer in found["own"]]


def test_requests_that_have_ended_leave_nothing_behind(found: dict[str, Any]) -> None:
    assert found["preemptions"] > 0 and max(found["left"]) <= 1, "ended requests are forgotten with the next step"


CHOICE = """
from docspec.vllm import second_runner
second_runner.register()
from vllm.config import ModelConfig, ParallelConfig, SchedulerConfig, SpeculativeConfig, VllmConfig
from vllm.config import vllm as module
module.HAS_TRITON = True
import vllm.platforms.cpu as cpu
cpu.CpuPlatform.check_and_update_config = classmethod(lambda cls, config: None)
model = ModelConfig({model!r}, dtype="float32", max_model_len=512, enforce_eager=True)
for proposer, asynchronous, schedule in (
    ("docspec.vllm.Proposer", None, None),
    ("docspec.vllm.Proposer", False, None),
    ("docspec.vllm.Proposer", None, [(1, 4, 7), (5, 8, 3)]),
    ("other.Proposer", None, None),
):
    made = VllmConfig(
        model_config=model,
        scheduler_config=SchedulerConfig(
            max_num_seqs=8, max_model_len=512, is_encoder_decoder=False, async_scheduling=asynchronous
        ),
        speculative_config=SpeculativeConfig(
            method="custom_class", model=proposer, num_speculative_tokens=7, target_model_config=model,
            target_parallel_config=ParallelConfig(),
            num_speculative_tokens_per_batch_size=schedule,
        ),
    )
    kept = made.speculative_config.num_speculative_tokens_per_batch_size
    print(made.use_v2_model_runner, made.scheduler_config.async_scheduling, made.scheduler_config.scheduler_cls, kept)
"""


def test_the_second_runner_is_taken_where_it_runs_and_the_first_otherwise() -> None:
    """By vLLM's own configuration, as it would be on a GPU."""
    own, scheduler = "[(1, 7, 7), (8, 8, 0)]", "docspec.vllm.scheduler.DraftScheduler"
    code = CHOICE.format(model=str(BUNDLED))
    ran = in_vllm("-c", code)
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert [line for line in ran.stdout.splitlines() if line.startswith(("True", "False"))] == [
        f"True True {scheduler} {own}",
        "True False None None",
        f"True True {scheduler} [(1, 4, 7), (5, 8, 3)]",
        "False False None None",
    ]
    forced = in_vllm("-c", code, VLLM_USE_V2_MODEL_RUNNER="0")
    assert forced.stdout.count("False False None None") == 4, forced.stderr[-4000:]


def test_a_vllm_that_asks_for_the_proposers_name_keeps_the_first_runner() -> None:
    code = "from docspec.vllm import second_runner; second_runner.register(); print(second_runner.fits())"
    old = in_vllm("-c", code, PYTHONPATH=str(ROOT))
    assert old.stdout.strip().endswith("False") and in_vllm("-c", code).stdout.strip().endswith("True"), old.stderr
