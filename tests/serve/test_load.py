"""The loads of ``python -m benchmarks.serving.load`` and ``hostile``, small."""

from __future__ import annotations

from benchmarks.serving import hostile
from benchmarks.serving.load import measured


def test_a_load_with_an_upstream_killed_and_started_again_is_answered_rightly_and_once() -> None:
    found = measured(600, 24)
    assert found["wrong"] == [] and found["answered twice"] == 0
    statuses = found["statuses"]
    assert statuses["malformed: 400"] == 6 and statuses["aborted: left"] == 6
    assert sum(statuses.values()) == 600 and found["requests left in the gateway"] == 0
    before, after = found["open files before and after"]
    assert after <= before


def test_hostile_neighbours_get_nobody_a_wrong_answer_and_leave_nothing_behind() -> None:
    """How fast the others stay is measured on an idle machine: docs/serve-measured.md."""
    found = hostile.measured(1_000, 8, 1)
    assert found["wrong"] == {} and found["requests left in the gateway"] == 0
    assert found["hostile"], "something hostile was done"
    before, after = found["open files before and after"]
    assert after <= before
    assert found["most resident MiB"] < 400
