"""What ``benchmarks engines`` asks for, what its table says, and the paper's window as a chain, without vLLM."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.engines.markdown import crossover, decoding_alone, markdown, without_drafts
from benchmarks.engines.measure import Figure, asked
from benchmarks.engines.vllm_window import WindowChains


@pytest.mark.parametrize(("tasks", "in_flight", "most"), [(98, 1, None), (98, 1, 40), (98, 64, None), (9, 16, 5)])
def test_a_run_asks_for_all_or_some_and_keeps_the_load_up(tasks: int, in_flight: int, most: int | None) -> None:
    which = asked(tasks, in_flight, most)
    assert set(which) <= set(range(tasks)) and which[0] == 0
    assert len(which) == max(most or tasks, 2 * in_flight if in_flight > 1 else 1)
    counted = np.bincount(which, minlength=tasks)
    assert counted.max() - counted.min() <= 1, "none much more often than another"


def figures() -> list[Figure]:
    times = {"vLLM": (8.0, 4.0), "vLLM, docspec": (2.0, 5.0)}
    times |= {"docspec, plain": (3.0, 3.0), "docspec, trees": (1.5, 2.0)}
    counts = {"drafts": 10, "accepted_tokens": 65}
    return [
        Figure(engine, load, 4, (seconds,) * 3, (0.1, 0.2, 0.3, 0.4), counts if "docspec" in engine else {}, 4)
        for engine, pair in times.items()
        for load, seconds in zip((1, 16), pair, strict=True)
    ]


def test_each_engine_is_compared_with_itself_without_drafts_at_the_same_load() -> None:
    pairs = without_drafts(figures())
    told = {(one.engine, one.in_flight): other.typical / one.typical for one, other in pairs.items()}
    assert told["vLLM, docspec", 1] == 4 and told["vLLM, docspec", 16] == 0.8
    assert told["docspec, trees", 1] == 2 and told["docspec, plain", 1] == told["vLLM", 16] == 1


def test_the_table_for_a_readme_has_a_row_an_engine_and_a_column_a_load() -> None:
    lines = markdown(figures(), "title", "caption").splitlines()
    header, _, *rows = [line for line in lines if line.startswith("|")]
    assert [cell.strip() for cell in header.split("|")[2:4]] == ["1", "16"]
    assert len(rows) == 4 and all(row.count("|") == header.count("|") for row in rows)
    [ours] = [row for row in rows if row.startswith("| vLLM, docspec ")]
    assert "**4.00x** 2.00 s (2.00-2.00); 300, 400 ms" in ours and "6.5 to 6.5" in ours and "8 of 8" in ours


def test_the_load_at_which_drafts_stop_paying_is_said() -> None:
    assert "pay below 16 requests in flight (at worst 0.80x)" in crossover(figures())
    assert "pay at every load up to 1 requests in flight" in crossover([one for one in figures() if one.in_flight == 1])
    assert crossover([one for one in figures() if one.engine != "vLLM"]) == ""


def test_decoding_is_compared_without_what_prefill_takes() -> None:
    prefill = [Figure("vLLM, prefill", load, 4, (seconds,), same=4) for load, seconds in ((1, 1.0), (16, 3.0))]
    assert decoding_alone([*figures(), *prefill]).endswith("7.00x at 1, 0.50x at 16")
    assert decoding_alone(figures()) == "", "nobody measured prefill"


def test_the_window_follows_its_draft_and_loses_it_where_the_text_differs() -> None:
    codec = SimpleNamespace(tokenize=lambda text: [ord(char) for char in text], detokenize=bytes)
    chains = WindowChains(codec)
    draft = list(range(10, 60))
    row = chains.begin([draft], "text", 100, draft[:1])
    [chain] = chains.propose([(row, 31)], 1)
    assert chain == draft[1:32]
    chains.written(row, [*draft[1:20], 7])
    assert chains.propose([(row, 31)], 1) == [[]], "three tokens have to agree again"
    chains.written(row, draft[21:24])
    assert chains.propose([(row, 5)], 1) == [draft[24:29]]
    assert chains.propose([(row, 0)], 1) == [[]]
    chains.end(row)
