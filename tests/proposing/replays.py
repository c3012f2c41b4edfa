"""Rows and replays for tests of proposers: no model, no target."""

from __future__ import annotations

from benchmarks.transcripts import replay
from docspec.engine.request import NeverStop, Request
from docspec.engine.row import Row
from docspec.proposing.registry import make_proposer
from docspec.targets.protocol import Prompt

END = 10**6


class Characters:
    """A tokenizer of one token a character."""

    def tokenize(self, text: str) -> list[int]:
        return [ord(char) for char in text]

    def detokenize(self, tokens: list[int]) -> str:
        return "".join(map(chr, tokens))


def row_of(output, drafts=(), grammar=None, growing=(), kind=""):
    """A row that has written ``output``."""
    request = Request(Prompt({}, 0), tuple(map(tuple, drafts)), 10**6, grammar, growing, kind=kind)
    return Row(request, 0, 0, frozenset(), NeverStop(), list(output))


def steps(output, drafts=(), budget=128, name="cursor", codec=None, grammar=None, price=0.0):
    """Verification steps that write ``output``."""
    made = (lambda: grammar) if grammar is not None else None
    return replay(make_proposer(name, codec, price), [*output, END], budget, drafts, made)[0]


def trees(output, limit, stride=3, **proposer):
    """The trees proposed while ``output`` is written, ``stride`` tokens a step whatever was proposed, each checked:
    within its budget, siblings distinct, parents first, depths right."""
    drafts, grammar = proposer.pop("drafts", ()), proposer.pop("grammar", None)
    made = make_proposer(**proposer)
    row = row_of(output[:1], drafts, (lambda: grammar) if grammar is not None else None)
    made.begin(row)
    found = []
    for written in range(1, len(output) + 1, stride):
        row.output[:] = output[:written]
        [tree] = made.propose([row], [limit])
        assert tree.tokens[0] == output[written - 1]
        check(tree, limit)
        found.append((tree.tokens, tree.parents))
    made.end(row)
    return found


def check(tree, limit):
    assert len(tree) <= limit
    assert all(parent < node for node, parent in enumerate(tree.parents))
    assert all(tree.depths[node] == tree.depths[tree.parents[node]] + 1 for node in range(1, len(tree)))
    assert all(token >= 0 for token in tree.tokens)
    pairs = [(parent, token) for parent, token in zip(tree.parents, tree.tokens, strict=True)]
    assert len(set(pairs)) == len(pairs)
    for node in range(len(tree)):
        children = {tree.tokens[child]: child for child in tree.children(node)}
        assert all(tree.parents[child] == node and tree.find(node, t) == child for t, child in children.items())
    assert tree.is_chain == all(parent == node - 1 for node, parent in enumerate(tree.parents))
