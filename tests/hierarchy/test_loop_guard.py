"""Loops are stopped where they are loops, and only there."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docspec.engine.loop_guard import INTERVAL, MAX_CYCLE, LoopGuard, _continued, is_layout
from docspec.hierarchy.answers import TextGuard, guarded

AFTER = "\n\nBelow it the page goes on with other words."


def run(tokens, text_of=lambda tokens: "words"):
    """What stops ``tokens``, or ``None``."""
    guard = LoopGuard(text_of)
    for token in tokens:
        loop = guard.observe(token)
        if loop is not None:
            return loop
    return None


def spelled(text):
    """The loop that is found where each character is a token: cycles are longest so."""
    return run(map(ord, text), lambda tokens: "".join(map(chr, tokens)))


def html_row(cell, columns):
    return "<tr>" + f"<td>{cell}</td>" * columns + "</tr>"


REAL = {
    "80 rows of 12 filled columns": "".join(html_row("0.00", 12)) * 80,
    "80 rows of 12 blank columns": html_row("", 12) * 80,
    "80 rows in pipes": ("|" + " yes |" * 12 + "\n") * 80,
    "400 dots": "." * 400,
    "200 spaced dots": " ." * 200,
    "60 equal list items": "- Not applicable\n" * 60,
    "60 equal list items in JSON": "- Not applicable\\n" * 60,
    "attendance sheet": ("|" + "   |" * 14 + "\n") * 6,
    "rows of N/A": "| N/A | N/A | N/A | N/A |\n" * 20,
    "N/A in one row": " | N/A" * 40,
    "checkbox lines": "- [ ] Yes\n" * 40,
    "ticked boxes": "☐ Yes ☐ No\n" * 40,
    "LaTeX rows": "0 & 0 & 0 & 0 \\\\\n" * 60,
    "blank formula space": "\\quad " * 80,
    "lines to sign on": "Signature: ____________\n" * 10,
}


@pytest.mark.parametrize("text", REAL.values(), ids=REAL)
def test_what_print_repeats_passes(text):
    assert spelled(text + AFTER) is None


LOOPS = {
    "a sentence": "The model has lost its place. ",
    "a word": "the ",
    "a paragraph": "A longer paragraph that says something about a subject, and then says so again.\n\n",
}


@pytest.mark.parametrize("turn", LOOPS.values(), ids=LOOPS)
def test_words_again_and_again_are_stopped(turn):
    start = "Quick zephyrs blow. "
    loop = spelled(start + turn * 200)
    assert loop is not None
    assert loop.cycle == len(turn)
    assert loop.dropped < 1024 + INTERVAL
    assert abs(loop.keep - len(start + turn)) < 3  # the start may end as a turn does
    assert sorted(loop.text) == sorted(turn)


@pytest.mark.parametrize("turn", ["<td></td>", "| N/A ", ". ", "- item\n"])
def test_layout_without_end_is_stopped_later(turn):
    loop = spelled(turn * 800)
    assert loop is not None and loop.dropped >= 1024
    assert loop.keep == len(turn)


@pytest.mark.parametrize("turn", ["\n", " ", "\n\n", " \n", "\t"])
def test_runs_of_blanks_are_loops_like_words(turn):
    loop = spelled("Total 12" + turn * 400)
    assert loop is not None and loop.dropped < 1024
    assert spelled("Total 12" + turn * 100 + AFTER) is None


@pytest.mark.parametrize("sign", ["\n", " ", ".", "_", "|", "#"])
def test_a_run_of_one_sign_is_cut_out_of_an_answer(sign):
    text, loop = guarded("Total 12" + sign * 9000 + "End of the form.")
    assert loop is not None and len(text) < 200
    watched = TextGuard()
    assert watched.take("Total 12") is None
    assert any(watched.take(sign * 8) for _ in range(1200)), "it is seen while it is written"


def test_a_counting_loop_behind_a_long_text_is_found_where_it_begins():
    rng = random.Random(1)
    text = "".join(rng.choices("abcdefghij 0123456789.", k=30_000))
    loop = spelled(text + "; row " + "".join(f"({n}) " for n in range(1, 2_000)))
    assert loop is not None and loop.cycle == 0 and abs(loop.keep - len(text + "; row (1)")) < 8


@pytest.mark.parametrize("turn", ["{}. ", "| {} | | |\n", "Figure {}: a thing of {} parts\n", "<li>{}</li>", "-{}"])
def test_what_only_counts_is_stopped(turn):
    start = "Some 3 words 4 before 7 it. "
    loop = spelled(start + "".join(turn.format(n, 5 * n) for n in range(1, 900)))
    assert loop is not None and loop.cycle == 0
    assert abs(loop.keep - len(start + turn.format(1, 5))) < 8
    assert "1" in loop.text


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{n}. ____\n" for n in range(1, 250)),
        "".join(f"| {n} | {n * n % 97}.50 |\n" for n in range(1, 700)),
        "".join(f"<tr><td>{n % 31}</td></tr>" for n in range(1, 700)),
        "".join(f"{n}. item {'ab'[n * n % 3 % 2]}\n" for n in range(1, 700)),
    ],
    ids=["numbered lines", "a numbered table", "days", "numbered items"],
)
def test_numbered_print_passes(text):
    assert spelled(text + AFTER) is None


def test_text_without_loops_passes():
    rng = random.Random(0)
    assert run(rng.choices(range(50), k=5000)) is None


@pytest.mark.parametrize(
    ("cycle", "layout"),
    [
        ("</td><td>", True),
        ("uad \\q", True),
        (" 0.00 |", True),
        ("Yes\n- [ ] ", True),
        ("item\n2. ", True),
        ("&nbsp;", True),
        (". . ", True),
        ("it. The model has ", False),
        ("again\n\nand ", False),
        ("12 ", False),
        ("Smith & Sons ", False),
        ("\\alpha ", False),
    ],
)
def test_layout_is_told_from_words(cycle, layout):
    assert is_layout(cycle) is layout


@given(st.integers(1, MAX_CYCLE), st.integers(0, 40), st.integers(0, 200))
def test_every_cycle_is_cut_back_to_its_first_turn(cycle, before, seed):
    turn = random.Random(seed).sample(range(1000, 2000), cycle)
    loop = run([*range(before), *turn * (2 + 1400 // cycle)])
    assert loop is not None
    assert (loop.keep, loop.cycle) == (before + cycle, cycle)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=120))
def test_runs_equal_their_definition(tokens):
    tokens = tokens * (1 + 3 * INTERVAL // len(tokens))
    tokens = tokens[: len(tokens) - len(tokens) % INTERVAL]
    runs = np.zeros(MAX_CYCLE, dtype=int)
    history = [-1 - place for place in range(MAX_CYCLE)]
    for start in range(0, len(tokens), INTERVAL):
        history += tokens[start : start + INTERVAL]
        runs = _continued(runs, history)
    for cycle in (1, 2, 3, 31, 32, 33, 100):
        count = 0
        for place in range(cycle, len(tokens)):
            count = count + 1 if tokens[place] == tokens[place - cycle] else 0
        assert runs[cycle - 1] == count
