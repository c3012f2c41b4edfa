from __future__ import annotations

import pytest

from docspec.core.formulas import bare_formula, display_formula


def test_two_formulas_in_one_text_are_not_torn_apart() -> None:
    assert bare_formula("$a$ and $b$") == "$a$ and $b$"
    assert bare_formula("$$") == "$$"


@pytest.mark.parametrize(
    "written",
    [
        *("$x$ and $y$", "$x$", "$$E = mc^2$$", "$$\na\n$$", "$$x$$ \\tag{1}", "where $a_1$ is the first"),
        *("x = 1", "Revenue = Price × Quantity", "(3)", "\\[a\\] and \\[b\\]", "", "`a` and `b`", "x = \\$5"),
    ],
)
def test_a_formula_with_delimiters_of_its_own_or_without_latex_is_written_as_it_is(written: str) -> None:
    assert display_formula(written) == written


@pytest.mark.parametrize(
    ("written", "bare"),
    [
        *((text, text) for text in ("E = mc^2", "\\frac{a}{b} \\tag{1}", "a \\\\[2pt] b_1")),
        ("\\[ x \\]", "x"),
        ("\\(x\\)", "x"),
        ("`\\alpha`", "\\alpha"),
        ("\\begin{equation}\nx\n\\end{equation}", "\\begin{equation}\nx\n\\end{equation}"),
    ],
)
def test_bare_latex_is_put_between_dollars(written: str, bare: str) -> None:
    assert display_formula(written) == f"$$\n{bare}\n$$"
