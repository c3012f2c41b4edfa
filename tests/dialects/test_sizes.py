from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.core.page import DOTS_MAX_PIXELS, DOTS_MIN_PIXELS, smart_resize


@pytest.mark.parametrize(
    ("height", "width", "expected"),
    [
        (1754, 1240, (1764, 1232)),  # A4 at 150 dpi
        (2339, 1654, (2352, 1652)),  # A4 at 200 dpi
        (10, 10, (56, 56)),
        (14, 700, (28, 420)),
        (42, 70, (56, 56)),  # 1.5 and 2.5 factors: halves round to the even multiple
        (5000, 4000, (3752, 2996)),
    ],
)
def test_pages_get_the_published_sizes(height: int, width: int, expected: tuple[int, int]) -> None:
    assert smart_resize(height, width) == expected


@settings(deadline=None)
@given(st.integers(1, 20_000), st.integers(1, 20_000), st.sampled_from([28, 32]))
def test_sides_are_multiples_and_the_area_is_in_bounds(height: int, width: int, factor: int) -> None:
    if max(height, width) > 200 * min(height, width):
        with pytest.raises(ValueError, match="narrower"):
            smart_resize(height, width, factor)
        return
    rows, columns = smart_resize(height, width, factor)
    assert rows % factor == columns % factor == 0
    assert DOTS_MIN_PIXELS <= rows * columns <= DOTS_MAX_PIXELS


def test_an_image_without_pixels_is_refused() -> None:
    with pytest.raises(ValueError, match="no size"):
        smart_resize(0, 10)
