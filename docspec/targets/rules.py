"""What a checkpoint's generation configuration forbids or discounts, followed along every path of a tree.

``generate`` of transformers passes each step's logits through processors before it takes the best token. Those that
are deterministic are followed here, so that verification answers what ``generate`` would: each node of a tree is a
sequence of its own (prompt, written tokens, path), and its logits are processed as that sequence's. Where there is
arithmetic, it is that of transformers' own classes; they see the nodes of a tree as rows of one batch. Nothing here
runs where a configuration asks for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from transformers.generation.logits_process import (
    LogitsProcessor,
    NoBadWordsLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    SequenceBiasLogitsProcessor,
)

OUTSIDE = -1
"""Stands for "no token" where sequences of different length share a tensor; no token's number."""


@dataclass(frozen=True, slots=True)
class NgramBan:
    """No ``size`` tokens in a row twice. Without a ``window`` the prompt counts too (``no_repeat_ngram_size``).

    With one only the written tokens do, and of these only runs that begin among the last ``window``; ``exceptions``
    may always be written (the logits processor that DeepSeek-OCR is published with).
    """

    size: int
    window: int | None = None
    exceptions: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class GenerationRules:
    """The deterministic part of a generation configuration; fields are named and meant as in transformers'
    ``GenerationConfig``, ``min_length`` and ``min_new_tokens`` in tokens. ``forced_eos`` are written when only one
    token of the budget is left. (A forced first token only ever follows a prompt of one token: no image has that.)
    """

    repetition_penalty: float = 1.0
    sequence_bias: tuple[tuple[tuple[int, ...], float], ...] = ()
    ngrams: tuple[NgramBan, ...] = ()
    bad_words: tuple[tuple[int, ...], ...] = ()
    suppress: tuple[int, ...] = ()
    begin_suppress: tuple[int, ...] = ()
    min_length: int = 0
    min_new_tokens: int = 0
    forced_eos: tuple[int, ...] = ()
    eos: tuple[int, ...] = ()

    @property
    def active(self) -> bool:
        """Whether any logits are ever changed."""
        return self != GenerationRules(eos=self.eos)

    def begin(self, prompt: Sequence[int], written: Sequence[int], budget: int) -> RowRules:
        """The rules for one row: ``prompt`` are its token ids, image placeholders included, ``written`` the list that
        its output grows in, ``budget`` the most tokens that may be written."""
        return RowRules(self, prompt, written, budget)


class RowRules:
    """:class:`GenerationRules` along one row's output."""

    def __init__(
        self, rules: GenerationRules, prompt: Sequence[int], written: Sequence[int], budget: int
    ) -> None:
        self._rules = rules
        self._prompt = list(prompt)
        self._written = written
        self._budget = budget
        self._ngrams = [_Ngrams(ban, () if ban.window else prompt) for ban in rules.ngrams]
        self._penalty = (
            RepetitionPenaltyLogitsProcessor(rules.repetition_penalty)
            if rules.repetition_penalty != 1.0
            else None
        )
        self._bias = _biases(rules)
        self._reach = max((len(tokens) for tokens, _ in rules.sequence_bias), default=0)
        self._reach = max([self._reach, *map(len, rules.bad_words)])

    def next(self, logits: torch.Tensor) -> torch.Tensor:
        """Processed logits ``(vocab,)`` of the token after all that is written, in float32."""
        return self._processed(logits.float().unsqueeze(0), [()])[0]

    def __call__(self, logits: torch.Tensor, tokens: Sequence[int], parents: Sequence[int]) -> torch.Tensor:
        """Processed logits ``(nodes, vocab)`` of a tree in float32. ``tokens[0]`` is the pending token, the last one
        written; ``parents`` are the nodes' parents."""
        paths: list[tuple[int, ...]] = [()]
        for token, parent in zip(tokens[1:], parents[1:], strict=True):
            paths.append((*paths[parent], token))
        return self._processed(logits.float(), paths)

    def ends_here(self) -> bool:
        """Whether an end token at this place was forced, because the budget ends."""
        return bool(self._rules.forced_eos) and len(self._written) == self._budget - 1

    def _processed(self, logits: torch.Tensor, paths: Sequence[tuple[int, ...]]) -> torch.Tensor:
        """In transformers' order: bias, penalty, what is forbidden, what is forced, what is suppressed."""
        rules, base = self._rules, [*self._prompt, *self._written]
        written = torch.tensor([len(self._written) + len(path) for path in paths], device=logits.device)
        biases = self._bias[: len(rules.sequence_bias) > 0]
        for processor in biases:
            logits = processor(self._ends(base, paths, logits.device), logits)
        if self._penalty is not None:
            logits = self._penalty(_filled(base, paths, logits.device), logits)
        for ngrams in self._ngrams:
            logits = ngrams.forbid(logits, self._written, paths)
        for processor in self._bias[len(biases) :]:
            logits = processor(self._ends(base, paths, logits.device), logits)
        least = max(rules.min_new_tokens, rules.min_length - len(self._prompt))
        if least:
            logits = _without(logits, written < least, rules.eos)
        if rules.forced_eos:
            forced = torch.full_like(logits[0], -math.inf)
            forced[list(rules.forced_eos)] = 0
            logits = torch.where((written == self._budget - 1).unsqueeze(1), forced, logits)
        logits = _without(logits, written >= 0, rules.suppress)
        return _without(logits, written == 0, rules.begin_suppress)

    def _ends(self, base: list[int], paths: Sequence[tuple[int, ...]], device: torch.device) -> torch.Tensor:
        """The last tokens of each sequence, as many as the longest of the words takes, ``(nodes, reach)``."""
        lead = [OUTSIDE] * self._reach + base[-self._reach :]
        return torch.tensor([[*lead, *path][-self._reach :] for path in paths], device=device)


class _Ngrams:
    """What may not follow, by the tokens before it; ``tokens`` count from the beginning, what is written in time."""

    def __init__(self, ban: NgramBan, tokens: Sequence[int]) -> None:
        self._ban = ban
        self._tokens: list[int] = []
        self._follows: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        self._given = len(tokens)
        self._extend(tokens)

    def forbid(
        self, logits: torch.Tensor, written: Sequence[int], paths: Sequence[tuple[int, ...]]
    ) -> torch.Tensor:
        self._extend(written[len(self._tokens) - self._given :])
        pairs = [(node, token) for node, path in enumerate(paths) for token in self._forbidden(path)]
        if not pairs:
            return logits
        nodes, tokens = torch.tensor(pairs, device=logits.device).T
        inside = tokens < logits.shape[1]
        logits = logits.clone()
        logits[nodes[inside], tokens[inside]] = -math.inf
        return logits

    def _extend(self, tokens: Sequence[int]) -> None:
        before = self._ban.size - 1
        for token in tokens:
            start = len(self._tokens) - before
            if start >= 0:
                self._follows.setdefault(tuple(self._tokens[start:]), []).append((start, token))
            self._tokens.append(token)

    def _forbidden(self, path: tuple[int, ...]) -> set[int]:
        """What may not follow ``path``: what has followed its last tokens before, in the sequence or on the path."""
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


def _biases(rules: GenerationRules) -> list[LogitsProcessor]:
    """The processors that look at how a sequence ends: the bias first, where there is one."""
    found: list[LogitsProcessor] = []
    if rules.sequence_bias:
        found.append(SequenceBiasLogitsProcessor([[list(t), bias] for t, bias in rules.sequence_bias]))
    if rules.bad_words:
        found.append(NoBadWordsLogitsProcessor([list(word) for word in rules.bad_words], list(rules.eos)))
    return found


def _filled(base: list[int], paths: Sequence[tuple[int, ...]], device: torch.device) -> torch.Tensor:
    """All sequences ``(nodes, length)``; short ones end with their last token again, which no rule about which tokens
    have occurred can tell."""
    longest = max(map(len, paths))
    ends = np.full((len(paths), longest), base[-1])
    for row, path in zip(ends, paths, strict=True):
        row[: len(path)] = path
    sequences = np.concatenate((np.tile(base, (len(paths), 1)), ends), axis=1)
    return torch.from_numpy(sequences).to(device)


def _without(logits: torch.Tensor, where: torch.Tensor, tokens: Sequence[int]) -> torch.Tensor:
    """``logits`` with ``tokens`` ruled out in those rows that ``where`` names."""
    if not tokens:
        return logits
    named = torch.zeros(logits.shape[1], dtype=torch.bool, device=logits.device)
    named[[token for token in tokens if token < logits.shape[1]]] = True
    return logits.masked_fill(where.unsqueeze(1) & named, -math.inf)
