from __future__ import annotations

import pytest

from docspec.dialects import make_dialect
from docspec.hierarchy.page_state import unsaid


@pytest.mark.parametrize(
    ("dialect", "answer", "kinds"),
    [
        ("markdown", "<think>\nIt is a letter that", ["nothing_said"]),
        ("layout-json", "[]", ["nothing_said"]),
        ("layout-json", '[{"bbox": [1, 2', ["nothing_said"]),
        ("markdown", " \n", ["empty_answer"]),
        ("markdown", "[]", []),
        ("layout-json", '[{"bbox": [1, 2, 30, 40], "category": "Picture"}]', []),
    ],
)
def test_an_answer_without_a_word_of_the_page_is_an_event(dialect: str, answer: str, kinds: list[str]) -> None:
    events = unsaid(answer, make_dialect(dialect).parse(answer, 100, 100))
    assert [event.kind for event in events] == kinds
