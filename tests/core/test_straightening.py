"""One map brings points of a picture to the straightened page, and its inverse brings them back."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docspec.core import BBox
from docspec.core.straightening import NOTHING, Corners, Projection, Straightening

SHEET: Corners = ((0.2, 0.1), (0.8, 0.15), (0.9, 0.9), (0.1, 0.95))

near = st.floats(0.0, 0.3)
sheets = st.builds(
    lambda a, b, c, d, e, f, g, h: ((a, b), (1 - c, d), (1 - e, 1 - f), (g, 1 - h)), *[near for _ in range(8)]
)
ways = st.builds(Straightening, st.integers(0, 3), st.none() | sheets, st.floats(-15, 15))
shares = st.floats(0.2, 0.8)


@given(how=ways, width=st.integers(200, 4000), height=st.integers(200, 4000), x=shares, y=shares)
def test_points_go_there_and_back(how: Straightening, width: int, height: int, x: float, y: float) -> None:
    there = how.projection(width, height)
    point = x * width, y * height
    assert there.inverse().point(*there.point(*point)) == pytest.approx(point, abs=1e-3)


@given(sheet=sheets, turns=st.integers(0, 3))
@example(((0.0, 0.0), (1.0, 2.225073858507e-311), (1.0, 1.0), (0.0, 1.0)), 3)
def test_the_corners_of_a_sheet_become_those_of_the_page_however_it_lies(sheet: Corners, turns: int) -> None:
    upright = Straightening(sheet=sheet)
    width, height = upright.size(1000, 1400)
    there = upright.projection(1000, 1400)
    corners = [(0, 0), (width, 0), (width, height), (0, height)]
    assert [there.point(1000 * x, 1400 * y) for x, y in sheet] == [pytest.approx(one, abs=1e-6) for one in corners]
    # The same sheet in the picture turned by quarters: its corners are where the picture's own are carried.
    picture = (1400, 1000) if turns % 2 else (1000, 1400)
    turning = Straightening(turns).projection(1000, 1400)
    turned = {turning.point(1000 * x, 1400 * y) for x, y in sheet}
    found = [(x * picture[0], y * picture[1]) for x, y in upright.turned(turns).sheet or ()]

    def place(point: tuple[float, float]) -> tuple[float, ...]:
        return tuple(round(one, 3) for one in point)  # two on one edge may differ by the smallest of numbers

    assert sorted(found, key=place) == [pytest.approx(one, abs=1e-6) for one in sorted(turned, key=place)]


def test_a_box_turns_with_its_page() -> None:
    box = BBox(10, 20, 30, 60)
    quarter = Straightening(1).projection(100, 200)
    assert quarter.box(box) == BBox(140, 10, 180, 30)
    assert Straightening(2).projection(100, 200).box(box) == BBox(70, 140, 90, 180)
    assert quarter.inverse().box(quarter.box(box)) == box == Straightening(4).projection(100, 200).box(box)


@given(x=st.floats(0, 300), y=st.floats(0, 500), degrees=st.floats(-15, 15))
def test_a_page_that_leans_is_turned_about_its_middle(x: float, y: float, degrees: float) -> None:
    there = Straightening(tilt=degrees).projection(300, 500)
    assert there.point(150, 250) == pytest.approx((150, 250))
    assert there.inverse().matrix[0] == pytest.approx(Projection.turning(degrees, 300, 500).matrix[0])
    box = BBox(x, y, x + 40, y + 10)
    assert (there.resized(box).width, there.resized(box).height) == pytest.approx((40, 10))


@given(how=ways, x=shares, y=shares)
def test_boxes_of_the_straightened_page_are_held_by_those_on_the_picture(
    how: Straightening, x: float, y: float
) -> None:
    back = how.projection(800, 600).inverse()
    box = BBox(100 + 200 * x, 100 + 200 * y, 160 + 200 * x, 130 + 200 * y)
    around = back.box(box).grown(1e-6)
    middle = back.point(box.center_x, box.center_y)
    assert around.x0 <= middle[0] <= around.x1 and around.y0 <= middle[1] <= around.y1


def test_nothing_is_done_without_turns_sheet_and_lean() -> None:
    assert not NOTHING and NOTHING.size(30, 40) == (30, 40) and NOTHING.projection(30, 40) == Projection()
    assert Straightening(1) and Straightening(sheet=SHEET) and Straightening(tilt=0.5)
    assert Straightening(3).size(30, 40) == (40, 30)
