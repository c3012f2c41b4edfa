"""The scripted model in a real vLLM: random weights that write their transcripts, whatever is proposed.

``DOCSPEC_VLLM_PYTHON`` names the Python of an environment that has vLLM, ``DOCSPEC_OLDER_VLLM_PYTHON`` one with vLLM
0.25.1; what is not named is skipped. Never run on a GPU.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from docspec.targets.registry import BUNDLED
from tests.vllm.crops import crops_of_a_sample

PYTHON = os.environ.get("DOCSPEC_VLLM_PYTHON")
SECOND = Path(str(PYTHON)).parent.parent / "second-runner"
ROOT = Path(__file__).parents[2]
RUNNERS = {
    "V1": (PYTHON, (), {}),
    "V2": (PYTHON if SECOND.exists() else None, (str(SECOND),), {"VLLM_USE_V2_MODEL_RUNNER": "1"}),
    "V1 of 0.25.1": (os.environ.get("DOCSPEC_OLDER_VLLM_PYTHON"), (), {}),
}
REQUESTS = 7
"""More than the four rows of a batch. The last one names no transcript."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[list[int]]]:
    """The file of tasks, the file of transcripts, and these: random words of which some come again."""
    draw = random.Random(67)
    words = [[draw.randrange(20, 390) for _ in range(4)] for _ in range(12)]
    scripts = [[token for _ in range(8 + 3 * index) for token in draw.choice(words)] for index in range(3)]
    tasks, _, _ = crops_of_a_sample(REQUESTS)
    values = [task.as_values() for task in tasks]
    for index, one in enumerate(values):
        number = index % len(scripts)
        script = scripts[number]
        wrong = [*script[:10], 9, *script[11:]]
        one["budget"], one["extra"] = len(script), {"docspec_script": number, "docspec_drafts": [wrong]}
    values[-1]["extra"] = {}
    folder = tmp_path_factory.mktemp("scripted")
    (folder / "tasks.json").write_text(json.dumps(values))
    (folder / "scripts.json").write_text(json.dumps(scripts))
    return folder / "tasks.json", folder / "scripts.json", scripts


@pytest.fixture(scope="module", params=RUNNERS)
def found(request: pytest.FixtureRequest, told: tuple[Path, Path, list[list[int]]]) -> dict[str, Any]:
    python, path, environment = RUNNERS[request.param]
    if python is None:
        pytest.skip("no Python is named that has this vLLM")
    ways = ("plain", "docspec") if environment else ("plain", "docspec", "ngram")
    ran = subprocess.run(
        [python, "-m", "tests.vllm.scripted", str(BUNDLED), str(told[0]), str(told[1]), *ways],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((*path, str(ROOT))), **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    made: dict[str, Any] = json.loads(ran.stdout)
    return made


def test_every_request_writes_its_own_transcript_whatever_is_proposed(
    found: dict[str, Any], told: tuple[Path, Path, list[list[int]]]
) -> None:
    for way, one in found.items():
        assert one["tokens"][:-1] == [told[2][index % 3] for index in range(REQUESTS - 1)], way


def test_a_request_without_a_transcript_is_answered_by_the_weights_alone(
    found: dict[str, Any], told: tuple[Path, Path, list[list[int]]]
) -> None:
    answers = [one["tokens"][-1] for one in found.values()]
    assert answers == answers[:1] * len(answers) and answers[0] not in told[2]


def test_what_is_accepted_is_what_the_drafts_know(found: dict[str, Any]) -> None:
    """Drafts with one wrong token in each write nearly all; repetitions are found by both."""
    tokens = sum(map(len, found["docspec"]["tokens"][:-1]))
    assert found["docspec"]["counts"]["accepted_tokens"] > 0.6 * tokens
    if "ngram" in found:
        assert 0 < found["ngram"]["counts"]["accepted_tokens"] < found["docspec"]["counts"]["accepted_tokens"]
