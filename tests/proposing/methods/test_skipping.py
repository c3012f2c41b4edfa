"""``skip-verification``: off, nothing changes; on, there are fewer forward passes, and keys and values are
those of the tokens that were written."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from docspec_methods.head_network import Head, HeadConfig, save
from docspec_methods.skipping import joined, similarity, usual_path
from docspec_methods.teaching.lessons import states_of

from docspec.core import ParseOptions, UsageError
from docspec.core.choices import SkipPlan
from docspec.engine.request import Request
from docspec.engine.tree import TokenTree
from docspec.generation.local import make_decoder

NEW_TOKENS = 28


@pytest.fixture(autouse=True)
def always_hopeful(monkeypatch):
    """Heads with random weights are always wrong, and their nodes would soon not be worth their places."""
    monkeypatch.setattr("docspec.proposing.threshold.FLOOR", -1.0)


@pytest.fixture(params=["hivis", "vispec"])
def folder(request, target, tmp_path):
    size = target.embed(torch.zeros(1, dtype=torch.long)).shape[-1]
    torch.manual_seed(3)
    save(Head(HeadConfig(request.param, size, 2, 2 * size)), tmp_path / "head", target="tiny")
    return tmp_path / "head"


def loop_of(target, prompts, align, skip=None, tokens=NEW_TOKENS):
    """A loop that has run to its end."""
    engine = make_decoder(target, ParseOptions(align=align, skip_verification=skip, stages="page"))
    loop = engine.batch([Request(prompt, (), tokens) for prompt in prompts], len(prompts))
    engine.decode(loop)
    return loop


@pytest.mark.parametrize("skip", ["uniform:2", "uniform:3", "similarity:0.01"])
def test_fewer_forward_passes_and_never_two_skips_in_a_row(target, folder, prompts, plain, skip):
    exact = loop_of(target, prompts[:1], f"head:{folder}")
    lossy = loop_of(target, prompts[:1], f"head:{folder}", skip)
    [row], [other] = exact.scheduler.rows, lossy.scheduler.rows
    assert tuple(row.output) == plain[0] and row.counts.unverified == 0
    assert other.counts.unverified > 0 and other.counts.forwards < row.counts.forwards
    assert len(other.output) == NEW_TOKENS


@pytest.mark.parametrize("rows", [1, 2])
def test_keys_and_values_are_those_of_the_tokens_as_if_they_had_been_prefilled(target, folder, prompts, rows):
    made = {}

    def note(running):
        for position, row in enumerate(running):
            if row.counts.unverified and len(row.output) > 12 and row not in made and row.finish is None:
                made[row] = list(row.output[:-1]), loop.cache.buffer[:, :, position, : row.length].clone()

    options = ParseOptions(align=f"head:{folder}", skip_verification="uniform:2", stages="page")
    engine = make_decoder(target, options)
    loop = engine.batch([Request(prompt, (), NEW_TOKENS) for prompt in prompts[:rows]], rows)
    engine.decode(loop, note)
    assert len(made) == rows
    for row, (written, held) in made.items():
        states_of(target, row.request.prompt, written)
        whole = target.kv.cache(1, row.request.prompt.length + len(written) + 1)
        fresh = whole.buffer[:, :, 0, : held.shape[2]]
        assert torch.allclose(held, fresh, atol=1e-4), float((held - fresh).abs().max())


def test_the_head_takes_stale_states_back(target, folder, prompts, monkeypatch):
    """After every verified step its keys are as many as the tokens that are verified."""
    from docspec_methods.head_tree import HeadProposer

    lengths = []
    honest = HeadProposer.observe

    def observe(self, context, written):
        honest(self, context, written)
        row = self._rows[context]
        waiting = sum(len(tokens) for _, tokens in row.unread)
        lengths.append(row.length + waiting - len(context.output))

    monkeypatch.setattr(HeadProposer, "observe", observe)
    loop_of(target, prompts[:1], f"head:{folder}", "uniform:2")
    assert len(lengths) > 5 and len(set(lengths)) == 1


def test_the_path_is_the_likeliest_as_long_as_paths_are_and_never_ends_the_page():
    tree = TokenTree(1)
    tree.extend(0, [2, 3, 4, 5, 6, 7], 20)
    tree.extend(0, [8], 20)
    tree.extend(0, [2, 9], 20)
    assert usual_path(tree, frozenset()) == [2, 3, 4]
    assert usual_path(tree, frozenset({3})) == [2]
    assert usual_path(TokenTree(1), frozenset()) == []


def test_the_path_stands_first_in_the_next_tree():
    behind = TokenTree(3)
    behind.extend(0, [4, 5], 9)
    behind.extend(0, [6], 9)
    tree = joined(1, [2, 3], behind)
    assert (tree.tokens, tree.parents, tree.assumed) == ([1, 2, 3, 4, 5, 6], [-1, 0, 1, 2, 3, 2], 2)


def test_paths_alike_are_similar(target):
    @dataclass
    class Spec:
        device: str = "cpu"

    class Two:
        kv_spec = Spec()

        def embed(self, tokens):
            return torch.eye(10)[tokens]

    one, two = TokenTree(0), TokenTree(0)
    one.extend(0, [1, 2], 9)
    assert similarity(one, Two()) == 1.0
    for path in ([1], [2], [3]):
        two.extend(0, path, 9)
    assert similarity(two, Two()) == pytest.approx(0.0)


def test_it_is_off_and_bad_plans_are_refused():
    assert ParseOptions().skips is None
    assert ParseOptions(skip_verification="uniform:3").skips == SkipPlan("uniform", 3)
    for wrong in ("uniform:1", "uniform:2.5", "similarity:0", "similarity:2", "often", "uniform:x"):
        with pytest.raises(UsageError, match="uniform:K"):
            ParseOptions(skip_verification=wrong)
    with pytest.raises(UsageError, match="strict"):
        ParseOptions(skip_verification="uniform:2", exact="strict")
