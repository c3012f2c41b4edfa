"""What a file prints twice, one upon the other, is read once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from docspec.core import PageImage
from docspec.drafting.printed import Printed

PageOf = Callable[..., PageImage]


def words(draw: Callable[[Any], None]) -> list[str]:
    page = pymupdf.open().new_page(width=400, height=300)
    draw(page)
    lines = [line for block in Printed(page).raw["blocks"] for line in block.get("lines", ())]
    return sorted("".join(char["c"] for span in line["spans"] for char in span["chars"]).strip() for line in lines)


@pytest.mark.parametrize("off", [0.0, 0.4])
def test_a_second_print_is_none_even_where_it_is_cut_otherwise(off: float) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 100), "Seed-rate", fontsize=10)
        page.insert_text((60 + off, 100 + off), "Seed", fontsize=10)
        page.insert_text((60, 140), "Harvest", fontsize=10)
        page.insert_text((60 + off, 140), "Harvest", fontsize=10)

    assert words(draw) == ["Harvest", "Seed-rate"]


def test_letters_beside_each_other_and_words_below_each_other_stay() -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 100), "illiil ....", fontsize=10)
        page.insert_text((60, 112), "illiil ....", fontsize=10)
        page.insert_text((160, 100), "illiil ....", fontsize=10)

    assert words(draw) == ["illiil ...."] * 3
