"""Trained heads draft: the output stays the target's own; what they take in, taught or drafting, is the same."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from docspec_methods.head_memory import HeadMemory
from docspec_methods.head_network import Head, HeadConfig, load, save
from docspec_methods.head_tree import HeadProposer
from docspec_methods.teaching.lessons import states_of
from docspec_methods.teaching.teacher import Teacher, taught

from docspec.core import ModelError, ParseOptions
from docspec.generation.local import make_decoder
from tests.proposing.decoding import decoded

NEW_TOKENS = 28

decode = partial(decoded, tokens=NEW_TOKENS)


@pytest.fixture(scope="module")
def size(target):
    return target.embed(torch.zeros(1, dtype=torch.long)).shape[-1]


@pytest.fixture(params=["hivis", "vispec"])
def folder(request, size, tmp_path):
    torch.manual_seed(3)
    head = Head(HeadConfig(request.param, size, 2, 2 * size))
    with torch.no_grad():
        for weights in head.parameters():
            if weights.ndim == 1 or not weights.any():
                weights.normal_(1.0, 0.2)
    save(head, tmp_path / "head", target="tiny")
    return tmp_path / "head"


@pytest.mark.parametrize("max_rows", [1, 3])
def test_the_output_is_the_targets_own(target, folder, prompts, plain, half_wrong, max_rows):
    for name, drafts in ((f"head:{folder}", ()), (f"cursor+head:{folder}", (half_wrong,))):
        found, stats = decode(target, name, prompts, drafts, max_rows)
        assert found == [tokens[: NEW_TOKENS - 4 * n] for n, tokens in enumerate(plain)]
        assert stats.drafted > stats.accepted


def test_a_row_that_ends_with_its_first_token_writes_nothing(target, folder, prompts, plain, monkeypatch):
    """A crop with nothing on it, beside others."""
    monkeypatch.setattr(target, "eos_ids", frozenset({plain[1][0]}))
    found, _ = decode(target, f"head:{folder}", prompts)
    assert found[1] == () and found[0] == plain[0][: (*plain[0], plain[1][0]).index(plain[1][0])]


def drawn(monkeypatch, target, folder, prompts, half_wrong, careless=False):
    """The states that the head made of each place while it drafted beside right and wrong drafts."""
    made = []
    read, take_in = HeadProposer._read, HeadMemory.take_in

    def careless_read(self, rows):
        for row in rows:
            row.unread = [(states.flip(0), tokens) for states, tokens in row.unread]
        read(self, rows)

    def noted(self, max_rows, *given):
        take_in(self, max_rows, *given)
        made.append(self.last[max_rows])

    monkeypatch.setattr(HeadMemory, "take_in", noted)
    if careless:
        monkeypatch.setattr(HeadProposer, "_read", careless_read)
    decode(target, f"ngrams+resumption+head:{folder}", prompts, (half_wrong,))
    return torch.cat(made)


@pytest.mark.parametrize("careless", [False, True])
def test_drafting_sees_what_teaching_showed(target, folder, prompts, plain, half_wrong, monkeypatch, careless):
    """The states made step by step, rows together, are among those that one pass over each whole sequence makes, and
    (the negative control) are not where states are taken in in another order."""
    own = drawn(monkeypatch, target, folder, prompts, half_wrong, careless)
    written = [tokens[: NEW_TOKENS - 4 * n] for n, tokens in enumerate(plain)]
    lessons = [states_of(target, prompt, tokens) for prompt, tokens in zip(prompts, written, strict=True)]
    head = load(folder, lessons[0].hidden.shape[1], torch.float32, torch.device("cpu"))
    seen = []
    honest = Head.finished
    monkeypatch.setattr(
        Head, "finished", lambda self, fused, looked: seen.append(honest(self, fused, looked)) or seen[-1]
    )
    with torch.no_grad():
        for lesson in lessons:
            taught(head, target, [lesson], 1)
    distance = torch.cdist(own, torch.cat([made[0] for made in seen])).min(1).values / own.norm(dim=1)
    assert len(own) > 5
    assert bool(distance.max() < 1e-3) is not careless


def test_several_steps_ahead_are_simulated_as_they_are_drafted(target, folder, prompts, plain, size):
    """Step by step from one place on, on its own states, against the simulation over all places at once."""
    lesson = states_of(target, prompts[1], plain[1])
    head = load(folder, size, torch.float32, torch.device("cpu"))
    seen = []
    honest = Head.finished

    def noted(self, fused, looked):
        seen.append(honest(self, fused, looked))
        return seen[-1]

    Head.finished = noted
    try:
        with torch.no_grad():
            taught(head, target, [lesson], 3)
    finally:
        Head.finished = honest
    with torch.no_grad():
        memory, start = HeadMemory(head, target), lesson.first + 4
        length, count = memory.enter(0, lesson.image if head.sees_images() else None), start + 1
        memory.make_room(1, length + count)
        memory.take_in([0], lesson.hidden[None, :count], lesson.tokens[None, :count], torch.tensor([count]), length)
        torch.testing.assert_close(memory.last[0], seen[0][0, start], rtol=1e-4, atol=1e-4)
        known, hidden, paths, made = memory._past([0], length + count), memory.last, [], []
        for depth in range(2):
            token = lesson.tokens[start + 1 + depth].view(1, 1)
            states = hidden.view(1, 1, -1) + memory.image
            step = memory._ahead(known, memory.lengths[:1] + depth, states, token, depth, paths, made)
            paths.append(torch.ones(1, 1, 1, dtype=torch.bool))
            made.append(step)
            hidden = step.hidden[0, 0]
            torch.testing.assert_close(hidden, seen[depth + 1][0, start + 1 + depth], rtol=1e-4, atol=1e-4)


def test_lessons_that_are_taught_together_tell_what_each_tells(target, folder, prompts, plain, size):
    lessons = [states_of(target, prompt, plain[n][: 28 - 5 * n]) for n, prompt in enumerate(prompts)]
    head = load(folder, size, torch.float32, torch.device("cpu"))
    with torch.no_grad():
        apart = [taught(head, target, [lesson], 3) for lesson in lessons]
        together = taught(head, target, lessons, 3)
        one_step = [taught(head, target, some, 1) for some in (lessons, *([lesson] for lesson in lessons))]
    assert together.tried == [sum(tried) for tried in zip(*(one.tried for one in apart), strict=True)]
    assert together.right == [sum(right) for right in zip(*(one.right for one in apart), strict=True)]
    whole, *each = (float(one.loss) * one.tried[0] for one in one_step)
    assert whole == pytest.approx(sum(each), rel=1e-4)


def test_a_head_learns_and_goes_on_where_it_stopped(target, folder, prompts, plain, size, tmp_path):
    lessons = [states_of(target, prompt, tokens) for prompt, tokens in zip(prompts, plain, strict=True)]
    head = load(folder, size, torch.float32, torch.device("cpu")).train()
    teacher = Teacher(head, target, lessons, 3e-3)
    before = taught(head, target, lessons[1:2], 1)
    for update in range(100):
        teacher.teach(update / 150, tokens=100)
    teacher.keep(tmp_path / "state.pt", 100)
    after = taught(head, target, lessons[1:2], 1)
    assert float(after.loss.detach()) < 0.6 * float(before.loss.detach())
    assert after.right[0] > before.right[0] and after.tried == before.tried
    again = Teacher(load(folder, size, torch.float32, torch.device("cpu")), target, lessons, 3e-3)
    assert again.restore(tmp_path / "nothing.pt") == 0
    assert again.restore(tmp_path / "state.pt") == 100
    assert float(again.examine().loss) == pytest.approx(float(teacher.examine().loss), rel=1e-4)


def test_a_head_for_another_target_is_refused(target, tmp_path):
    save(Head(HeadConfig("hivis", 32, 2, 64)), tmp_path / "other")
    for folder, said in ((tmp_path / "other", "states of 32"), (tmp_path, "holds no head")):
        with pytest.raises(ModelError, match=said):
            make_decoder(target, ParseOptions(align=f"head:{folder}"))
