"""Follows the deterministic part of a checkpoint's generation configuration along every path of a tree.

transformers' ``generate`` passes the logits of each step through processors before it takes the best token. The
deterministic ones are followed here, so that verification gives the same tokens: each node of a tree is a sequence of
its own (prompt, output, path), and its logits are processed as those of this sequence. The changes depend on tokens
only, so the host computes them before the forward pass, and those of all rows are copied to the device together. The
arithmetic is that of transformers' own processors, in the same order: biases, the repetition penalty, forbidden tokens,
forced tokens. Nothing here runs for a configuration without rules.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from transformers.generation.logits_process import (
    NoBadWordsLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    SequenceBiasLogitsProcessor,
)

from docspec.targets.staging import uploaded


@dataclass(slots=True)
class Edits:
    """Changes to logits ``(rows, nodes, vocab)``. ``penalised`` and ``forbidden`` tokens ``(row, token)`` apply to all
    nodes of a row, those in ``..._at`` ``(row, node, token)`` to one node. At ``forced`` nodes only ``allowed`` tokens
    remain."""

    penalty: float = 1.0
    biases: dict[tuple[int, int, int], np.float32] = field(default_factory=dict)
    penalised: list[tuple[int, int]] = field(default_factory=list)
    penalised_at: list[tuple[int, int, int]] = field(default_factory=list)
    forbidden: list[tuple[int, int]] = field(default_factory=list)
    forbidden_at: list[tuple[int, int, int]] = field(default_factory=list)
    forced: list[tuple[int, int]] = field(default_factory=list)
    allowed: list[tuple[int, int, int]] = field(default_factory=list)

    def bias(self, row: int, node: int, token: int, amount: float) -> None:
        """Adds ``amount`` to a logit."""
        at = row, node, token
        self.biases[at] = self.biases.get(at, np.float32(0)) + np.float32(amount)

    def force(self, row: int, node: int, tokens: Sequence[int]) -> None:
        """Leaves only ``tokens`` at a node."""
        self.forced.append((row, node))
        self.allowed += [(row, node, token) for token in tokens]

    def arrays(self) -> tuple[np.ndarray, ...]:
        """The arguments of :meth:`applied`: index arrays ``(axes, entries)``, and last the amounts of the biases."""
        lists: tuple[tuple[Sequence[tuple[int, ...]], int], ...] = (
            (list(self.biases), 3),
            (self.penalised, 2),
            (self.penalised_at, 3),
            (self.forbidden, 2),
            (self.forbidden_at, 3),
            (self.forced, 2),
            (self.allowed, 3),
        )
        indices = [np.array(indices, dtype=np.int64).reshape(-1, axes).T for indices, axes in lists]
        return *indices, np.array(list(self.biases.values()), dtype=np.float32)

    def applied(self, logits: torch.Tensor, arrays: Sequence[torch.Tensor] | None = None) -> torch.Tensor:
        """``logits`` ``(rows, nodes, vocab)`` with these changes, in float32; ``arrays`` are :meth:`arrays` on the
        device, if they are there already."""
        if arrays is None:
            arrays = [uploaded(torch.from_numpy(one.copy()), logits.device) for one in self.arrays()]
        biased, penalised, penalised_at, forbidden, forbidden_at, forced, allowed, amounts = arrays
        logits = logits.to(torch.float32, copy=True)
        everywhere = logits.transpose(1, 2)  # (rows, vocab, nodes), the same memory
        if len(amounts):
            logits[tuple(biased)] += amounts
        for view, index in ((everywhere, penalised), (logits, penalised_at)):
            if index.numel():
                values = view[tuple(index)]
                view[tuple(index)] = torch.where(values < 0, values * self.penalty, values / self.penalty)
        for view, index, value in (
            (everywhere, forbidden, -math.inf),
            (logits, forbidden_at, -math.inf),
            (logits, forced, -math.inf),
            (logits, allowed, 0.0),
        ):
            if index.numel():
                view.index_put_(tuple(index), torch.full((), value, device=logits.device))
        return logits


@dataclass(frozen=True, slots=True)
class NgramBan:
    """Forbids repeating ``size`` tokens in a row. Without a ``window`` the prompt counts too
    (``no_repeat_ngram_size``).

    With one, only output tokens count, and of these only n-grams that begin among the last ``window``; ``exceptions``
    are always allowed (the logits processor published with DeepSeek-OCR).
    """

    size: int
    window: int | None = None
    exceptions: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class GenerationRules:
    """The deterministic part of a generation configuration. Fields have the names and meanings of transformers'
    ``GenerationConfig``, ``min_length`` and ``min_new_tokens`` in tokens. ``forced_eos`` is written when one token of
    the budget is left. (A forced first token is not supported: it only follows a prompt of one token, which has no
    image.) ``vocab`` is the number of logits. ``presence_penalty`` and ``frequency_penalty`` are those of OpenAI and
    vLLM, which ``generate`` does not have: they are subtracted from the logits of output tokens, once and for each
    occurrence; the prompt does not count. There they come after a repetition penalty, here before it: do not combine
    them."""

    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    sequence_bias: tuple[tuple[tuple[int, ...], float], ...] = ()
    ngrams: tuple[NgramBan, ...] = ()
    bad_words: tuple[tuple[int, ...], ...] = ()
    suppress: tuple[int, ...] = ()
    begin_suppress: tuple[int, ...] = ()
    min_length: int = 0
    min_new_tokens: int = 0
    forced_eos: tuple[int, ...] = ()
    eos: tuple[int, ...] = ()
    vocab: int = 0

    @property
    def active(self) -> bool:
        """Whether the rules change any logits."""
        return self != GenerationRules(eos=self.eos, vocab=self.vocab)

    def check(self) -> None:
        """Raises the errors of transformers' own classes for invalid values."""
        logits, nothing = torch.zeros(1, self.vocab), torch.zeros(1, 1, dtype=torch.long)
        if self.repetition_penalty != 1.0:
            RepetitionPenaltyLogitsProcessor(self.repetition_penalty)
        if self.sequence_bias:
            SequenceBiasLogitsProcessor([[list(t), bias] for t, bias in self.sequence_bias])(nothing, logits)
        if self.bad_words:
            words = [list(word) for word in self.bad_words]
            NoBadWordsLogitsProcessor(words, list(self.eos))(nothing, logits)
        if any(not 0 <= token < self.vocab for token in self.forced_eos):
            raise ValueError(f"forced_eos_token_id is none of {self.vocab} tokens")

    def begin(self, prompt: Sequence[int], written: Sequence[int], budget: int) -> RowRules:
        """The rules for one row: ``prompt`` has its token ids including image placeholders, ``written`` is the list
        that its output is appended to, ``budget`` is its most output tokens."""
        return RowRules(self, prompt, written, budget)


class RowRules:
    """:class:`GenerationRules` for one row's output."""

    def __init__(self, rules: GenerationRules, prompt: Sequence[int], written: Sequence[int], budget: int) -> None:
        self._rules = rules
        self._prompt = list(prompt)
        self._written = written
        self._budget = budget
        self._ngrams = [_Ngrams(ban, () if ban.window else prompt) for ban in rules.ngrams]
        self._occurred: dict[int, None] = {}  # what a repetition penalty is for, in its order
        self._counted = 0
        self._words = [word for word in rules.bad_words if not (len(word) == 1 and word[0] in rules.eos)]
        phrases = [*(tokens for tokens, _ in rules.sequence_bias), *self._words]
        self._reach = max(map(len, phrases), default=0)

    @property
    def penalty(self) -> float:
        """The repetition penalty."""
        return self._rules.repetition_penalty

    def next(self, logits: torch.Tensor) -> torch.Tensor:
        """Processed logits ``(vocab,)`` of the token after the whole output, in float32."""
        return self(logits.unsqueeze(0), [-1], [0])[0]

    def __call__(self, logits: torch.Tensor, tokens: Sequence[int], parents: Sequence[int]) -> torch.Tensor:
        """Processed logits ``(nodes, vocab)`` of a tree in float32. ``tokens[0]`` is the pending token, the last of the
        output; ``parents`` are the nodes' parents."""
        edits = Edits(self.penalty)
        self.plan(edits, 0, tokens, parents)
        return edits.applied(logits.unsqueeze(0))[0]

    def ends_here(self) -> bool:
        """Whether an end token is forced at this position because the budget ends."""
        return bool(self._rules.forced_eos) and len(self._written) == self._budget - 1

    def plan(self, edits: Edits, row: int, tokens: Sequence[int], parents: Sequence[int]) -> None:
        """Adds the changes to the logits of a tree in ``row`` to ``edits``; see :meth:`__call__`."""
        rules, written = self._rules, len(self._written)
        paths: list[tuple[int, ...]] = [()]
        for token, parent in zip(tokens[1:], parents[1:], strict=True):
            paths.append((*paths[parent], token))
        if rules.repetition_penalty != 1.0:
            self._penalise(edits, row, paths)
        if rules.presence_penalty or rules.frequency_penalty:
            self._discount(edits, row, paths)
        self._match_phrases(edits, row, paths)
        for ngrams in self._ngrams:
            for node, token in ngrams.forbidden(self._written, paths):
                self._forbid(edits, row, node, (token,))
        least = max(rules.min_new_tokens, rules.min_length - len(self._prompt))
        for node, path in enumerate(paths):
            length = written + len(path)
            if length < least:
                self._forbid(edits, row, node, rules.eos)
            if length == 0:
                self._forbid(edits, row, node, rules.begin_suppress)
            if rules.forced_eos and length == self._budget - 1:
                suppressed = {*rules.suppress, *(rules.begin_suppress if length == 0 else ())}
                edits.force(row, node, [token for token in rules.forced_eos if token not in suppressed])
        edits.forbidden += [(row, token) for token in rules.suppress if token < rules.vocab]

    def _forbid(self, edits: Edits, row: int, node: int, tokens: Sequence[int]) -> None:
        edits.forbidden_at += [(row, node, token) for token in tokens if token < self._rules.vocab]

    def _penalise(self, edits: Edits, row: int, paths: Sequence[tuple[int, ...]]) -> None:
        """Penalises all tokens of the prompt, the output and the path."""
        occurred, vocab = self._occurred, self._rules.vocab
        if not self._counted:
            occurred.update(dict.fromkeys(self._prompt))
        occurred.update(dict.fromkeys(self._written[self._counted :]))
        self._counted = len(self._written)
        edits.penalised += [(row, token) for token in occurred if token < vocab]
        edits.penalised_at += [
            (row, node, token)
            for node, path in enumerate(paths)
            for token in dict.fromkeys(path)
            if token < vocab and token not in occurred
        ]

    def _discount(self, edits: Edits, row: int, paths: Sequence[tuple[int, ...]]) -> None:
        """Penalises the tokens of the output and the path by their counts."""
        rules, written = self._rules, Counter(self._written)
        for node, path in enumerate(paths):
            for token, count in (written + Counter(path)).items():
                if token < rules.vocab:
                    edits.bias(row, node, token, -(rules.frequency_penalty * count + rules.presence_penalty))

    def _match_phrases(self, edits: Edits, row: int, paths: Sequence[tuple[int, ...]]) -> None:
        """Applies biases and forbidden words at the nodes whose sequence ends with all but their last token."""
        if not self._reach:
            return
        base = [*self._prompt[-self._reach :], *self._written][-self._reach :]
        ends = [(*base, *path) for path in paths]
        for tokens, bias in self._rules.sequence_bias:
            for node in _ending(ends, tokens[:-1]):
                edits.bias(row, node, tokens[-1], bias)
        for word in self._words:
            for node in _ending(ends, word[:-1]):
                self._forbid(edits, row, node, word[-1:])


def _ending(sequences: Sequence[tuple[int, ...]], tokens: tuple[int, ...]) -> list[int]:
    """Which of ``sequences`` end with ``tokens``."""
    return [at for at, one in enumerate(sequences) if not tokens or one[-len(tokens) :] == tokens]


class _Ngrams:
    """The tokens that must not follow, by the tokens before; ``tokens`` are known at the beginning, the output is added
    later."""

    def __init__(self, ban: NgramBan, tokens: Sequence[int]) -> None:
        self._ban = ban
        self._tokens: list[int] = []
        self._follows: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        self._given = len(tokens)
        self._extend(tokens)

    def forbidden(self, written: Sequence[int], paths: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
        """Pairs of a node and a token that must not follow it."""
        self._extend(written[len(self._tokens) - self._given :])
        return [(node, token) for node, path in enumerate(paths) for token in self._after(path)]

    def _extend(self, tokens: Sequence[int]) -> None:
        before = self._ban.size - 1
        for token in tokens:
            start = len(self._tokens) - before
            if start >= 0:
                self._follows.setdefault(tuple(self._tokens[start:]), []).append((start, token))
            self._tokens.append(token)

    def _after(self, path: tuple[int, ...]) -> set[int]:
        """The tokens that must not follow ``path``: those that followed its last tokens before, in the sequence or on
        the path."""
        ban, before, length = self._ban, self._ban.size - 1, len(self._tokens) + len(path)
        if length < ban.size:
            return set()
        near = [*self._tokens[max(0, len(self._tokens) - before) :], *path]  # every run that ends on the path
        last = tuple(near[len(near) - before :])
        first = 0 if ban.window is None else max(0, length - ban.window)
        found = {token for start, token in self._follows.get(last, ()) if start >= first}
        for end in range(max(before, len(near) - len(path)), len(near)):
            if length - len(near) + end - before >= first and tuple(near[end - before : end]) == last:
                found.add(near[end])
        return found - ban.exceptions
