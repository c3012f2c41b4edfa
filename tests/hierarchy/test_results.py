from __future__ import annotations

import pytest

from docspec.dialects import make_dialect
from docspec.hierarchy.page_state import unsaid


@pytest.mark.parametrize(
    ("dialect", "answer", "said"),
    [
        ("markdown", "<think>\nIt is a letter that", True),
        ("layout-json", "[]", True),
        ("layout-json", '[{"bbox": [1, 2', True),
        ("markdown", " \n", False),
        ("markdown", "[]", False),
        ("layout-json", '[{"bbox": [1, 2, 30, 40], "category": "Picture"}]', False),
    ],
)
def test_an_answer_without_a_word_of_the_page_is_an_event(dialect: str, answer: str, said: bool) -> None:
    events = unsaid(answer, make_dialect(dialect).parse(answer, 100, 100))
    assert [event.kind for event in events] == ["nothing_said"] * said
