"""The copy bound: the fewest steps in which any policy that copies from the drafts could write an output.

At each step the longest draft substring that continues the output is taken, plus the target's own token. Taking
the longest is optimal, because whatever a shorter piece allows later, its longer version allows too. What a policy
loses against the bound is alignment; what the bound loses against the budget is what the drafts lack. A policy
that also proposes text that no draft holds can pass it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class SubstringIndex:
    """All substrings of some token sequences: a suffix automaton over the whole set (Blumer et al. 1987).

    ``follow[state]`` maps a token to the next state; state 0 stands for the empty string.
    """

    def __init__(self, sequences: Iterable[Sequence[int]]) -> None:
        self.follow: list[dict[int, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        for sequence in dict.fromkeys(tuple(sequence) for sequence in sequences):
            last = 0
            for token in sequence:
                last = self._extend(last, token)

    def longest(self, tokens: Sequence[int], start: int, most: int) -> int:
        """The length of the longest substring that equals ``tokens[start:]`` so far, at most ``most``."""
        state, size, end = 0, 0, min(len(tokens), start + most)
        while start + size < end:
            following = self.follow[state].get(tokens[start + size])
            if following is None:
                break
            state, size = following, size + 1
        return size

    def _extend(self, last: int, token: int) -> int:
        known = self.follow[last].get(token)
        if known is not None:
            return known if self._length[known] == self._length[last] + 1 else self._split(last, token, known)
        state = self._add(self._length[last] + 1, {}, 0)
        while last >= 0 and token not in self.follow[last]:
            self.follow[last][token] = state
            last = self._link[last]
        if last >= 0:
            known = self.follow[last][token]
            exact = self._length[known] == self._length[last] + 1
            self._link[state] = known if exact else self._split(last, token, known)
        return state

    def _split(self, last: int, token: int, known: int) -> int:
        copy = self._add(self._length[last] + 1, dict(self.follow[known]), self._link[known])
        self._link[known] = copy
        while last >= 0 and self.follow[last].get(token) == known:
            self.follow[last][token] = copy
            last = self._link[last]
        return copy

    def _add(self, length: int, follow: dict[int, int], link: int) -> int:
        self.follow.append(follow)
        self._link.append(link)
        self._length.append(length)
        return len(self.follow) - 1


def copy_bound(drafts: Iterable[Sequence[int]], output: Sequence[int], budget: int) -> int:
    """Steps that write ``output`` after its first token, which comes from the prompt's own forward pass.

    ``budget`` bounds a step's tree, the pending token included, so that at most ``budget - 1`` tokens are copied.
    """
    index = SubstringIndex(drafts)
    at, steps = 1, 0
    while at < len(output):
        at += index.longest(output, at, budget - 1) + 1
        steps += 1
    return steps
