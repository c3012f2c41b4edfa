"""No test of this suite goes by how fast an example is."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import settings


def test_no_example_has_a_deadline() -> None:
    assert settings.default is not None and settings.default.deadline is None
    sources = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.py")]
    assert {found for text in sources for found in re.findall(r"\bdeadline=(\w+)", text)} <= {"None"}
