"""Which model fits on which card: the estimate, held against what a GPU took, and the table of the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import cards
from benchmarks.random_weights import PUBLISHED

FAQ = Path(__file__).parents[2] / "docs" / "faq.md"


def test_an_estimate_is_above_what_one_page_took_on_a_gpu_and_not_far_above():
    """docs/gpu-measured.md: a prompt of 3,681 tokens in this size, 6.42 GiB at the peak of torch's allocator."""
    need = cards.need("Qwen/Qwen3-VL-2B-Instruct", PUBLISHED["qwen3-vl-2b"])
    assert need.weights == pytest.approx(2.1e9 * 2, rel=0.05), "two bytes a parameter"
    assert 6.42 <= need.total / 2**30 <= 1.25 * 6.42
    assert need.card == 12


def test_a_model_belongs_to_the_smallest_card_with_room():
    sizes = {"small": 2, "snug": 7.4 - 1.7, "medium": 9, "huge": 300}
    needs = [cards.Need(f"a/{name}", int(size * 10**9), 0, 0) for name, size in sizes.items()]
    assert [need.card for need in needs] == [8, 8, 12, None]
    assert cards.markdown(needs).splitlines()[2:] == [
        "| 8 GB | small 3.4, snug 6.8 |",
        "| 12 GB | medium 9.9 |",
        "| larger | huge 280.9 |",
    ]


def test_the_page_of_first_questions_has_the_table_of_the_command():
    assert cards.markdown(list(cards.needs())) in FAQ.read_text(encoding="utf-8")
