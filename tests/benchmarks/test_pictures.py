"""The documentation's pictures show what the benchmarks' JSON files say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from benchmarks.pictures import draw
from docspec.core import InputError


def mode(name: str, **seconds: float) -> dict[str, Any]:
    phases = {"draft": 0.0, "prefill": 2.0, "stage1": 0.0, "stage2": 4.0, **seconds}
    total = sum(phases.values()) + 1.0
    return {"mode": name, "pages": 2, "total": total, "sr_e2e": 1.5, "sr_low": 1.4, "sr_high": 1.6, **phases}


SPEED = {
    "schema": "docspec.bench.speed/1",
    "target": {"name": "tiny", "device": "cpu", "dtype": "float32"},
    "simulated": True,
    "repeats": 3,
    "modes": [mode("plain"), mode("planned", draft=1.0, stage2=1.0)],
    "rows": [
        {
            "source": "a/letter.pdf",
            "page": 2,
            "samples": [
                {"mode": "plain", "total": 4.0, "low": 4.0, "high": 4.0},
                {"mode": "planned", "total": 2.0, "low": 1.6, "high": 2.5},
            ],
        }
    ],
    "kinds": [{"kind": kind, **mode(name)} for kind in ("book", "letter") for name in ("plain", "planned")],
}
TRANSCRIPTS = {
    "schema": "docspec.bench.transcripts/1",
    "budget": 64,
    "pages": [{"name": "a", "bound_tokens_per_step": 9.0, "replays": [{"align": "cursor", "tokens_per_step": 7.0}]}],
}


def words(path: Path) -> list[str]:
    return [node.text for node in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text") if node.text]


def test_every_picture_is_drawn_with_its_figures_and_says_what_is_simulated(tmp_path: Path) -> None:
    (tmp_path / "speed.json").write_text(json.dumps(SPEED))
    (tmp_path / "transcripts.json").write_text(json.dumps(TRANSCRIPTS))
    drawn = draw([tmp_path / "speed.json", tmp_path / "transcripts.json"], tmp_path / "out")
    assert [path.name for path in drawn] == [
        *("where-time-goes.svg", "speed-by-kind.svg", "speed-by-page.svg"),
        "policies.svg",
    ]
    time, kinds, pages, policies = map(words, drawn)
    assert {"3.5", "2.5"} <= set(time), f"seconds a page, the totals of two pages halved: {time}"
    assert {"draft", "prefill", "rest", "plain", "planned"} <= set(time) and "Stage 1" not in time
    assert {"book", "letter"} <= set(kinds) and any("(planned)" in word for word in kinds)
    assert all(any("simulated" in word for word in found) for found in (time, kinds, pages))
    assert "letter, page 2" in pages and any("(planned)" in word for word in pages)
    assert {"a", "cursor", "copy bound"} <= set(policies)


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "docspec.report/1"}'])
def test_other_files_are_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError, match=r"x\.json"):
        draw([tmp_path / "x.json"], tmp_path)
