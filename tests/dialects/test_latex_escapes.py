r"""LaTeX in JSON whose backslashes are not escaped, and line feeds and tabs that are meant."""

from __future__ import annotations

import json

import pytest

from docspec.dialects.layout_cells import parse_cells, writes_single_backslashes

COMMANDS = [
    *("nabla", "neq", "notin", "nexists", "neg", "nmid", "nonumber", "nsubseteq", "nparallel", "nleq", "ngeq"),
    *("nearrow", "nu", "ne", "ni", "text", "textbf", "times", "theta", "tau", "tan", "tanh", "tilde", "tfrac"),
    *("tbinom", "triangle", "therefore", "to", "top", "tag", "beta", "bar", "bf", "begin", "big", "binom", "bullet"),
    *("frac", "forall", "flat", "fbox", "rho", "right", "rangle", "rm", "upsilon", "uparrow", "underline", "uplus"),
]


def cells(texts: list[tuple[str, str]], single: bool) -> str:
    """An answer with these texts by category; ``single``: written by a model that does not escape backslashes, but
    writes line feeds as JSON does."""
    listed = [{"bbox": [60, 60, 700, 90], "category": category, "text": text} for category, text in texts]
    answer = json.dumps(listed, ensure_ascii=False)
    return answer.replace("\\\\", "\\") if single else answer


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("single", [False, True], ids=["escaped", "single"])
def test_commands_come_back(command: str, single: bool) -> None:
    texts = [
        ("Text", f"Field $\\{command} \\phi$ and $a \\{command} b$ here."),
        ("Formula", f"$$x\\{command}, \\psi \\{command} 0$$"),
        ("Text", f"So \\(\\{command} x\\) is\n\n\\[ \\{command} y \\]\nof\nus."),
        ("Table", f"<table><tr><td>$\\{command}$</td></tr></table>"),
    ]
    assert [(cell.category, cell.text) for cell in parse_cells(cells(texts, single))] == texts


def test_line_feeds_and_tabs_that_are_meant_stay() -> None:
    texts = [
        ("Text", "It costs $5\nnot $6, as\neq. (3) and\ttable 4 say.\nu is the speed."),
        ("List-item", "- one\n- two\n\ne is a number\nnu is none"),
        ("Formula", "$$\nu_t + u u_x = \\alpha\n$$"),
        ("Formula", "\\begin{aligned}\nu &= \\beta \\\\\nv &= 1 \\\\\nu &= 2\n\\end{aligned}"),
    ]
    assert [(cell.category, cell.text) for cell in parse_cells(cells(texts, single=False))] == texts


def test_marks_on_lines_of_their_own_stay_so_in_an_answer_with_single_backslashes() -> None:
    [cell] = parse_cells(cells([("Formula", "$$\nu_t + \\phi = \\nu u_{xx}\n$$")], single=True))
    assert cell.text == "$$\nu_t + \\phi = \\nu u_{xx}\n$$"


@pytest.mark.parametrize(
    ("answer", "single"),
    [
        (r'"$\\phi$ and $\\nu$"', False),
        (r'"$\phi$ and $\nu$"', True),
        (r'"line\nline \u00e4 \"quoted\""', False),
        (r'"$\\alpha \\\\ \\beta$"', False),
        (r'"$\upsilon$"', True),
        (r'"C:\\temp \/ $\alpha \beta \psi$"', True),
    ],
)
def test_how_an_answer_writes_backslashes(answer: str, single: bool) -> None:
    assert writes_single_backslashes(answer) is single
