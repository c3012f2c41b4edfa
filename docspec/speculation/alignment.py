"""Windowed alignment (equations 4 and 5): where in the drafts does the text so far continue?

The last ``n`` verified tokens are the reference window. Every place in a draft where the window occurs yields one
candidate: the rest of that draft. While fewer than ``n`` tokens are verified, the window is all of them and only
the heads of the drafts are compared. The paper uses ``n = 3``.
"""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Sequence

Draft = Sequence[int]


class WindowAligner:
    """All occurrences of ``n``-token windows in a set of drafts, each indexed once.

    The first ``growing`` drafts are empty at first.
    """

    def __init__(self, drafts: Sequence[Draft], n: int = 3, growing: int = 0) -> None:
        if n < 1:
            raise ValueError(f"the reference window needs at least one token, got n={n}")
        self.n = n
        given = [tuple(draft) for draft in drafts if len(draft)]
        self.drafts: list[tuple[int, ...]] = [()] * (growing + len(given))
        self._places: dict[tuple[int, ...], list[tuple[int, int]]] = defaultdict(list)
        for index, draft in enumerate(given, growing):
            self.extend(index, draft)

    def extend(self, index: int, tokens: Sequence[int]) -> None:
        """The draft number ``index`` goes on with ``tokens``."""
        known = len(self.drafts[index])
        draft = self.drafts[index] = (*self.drafts[index], *tokens)
        for end in range(max(self.n, known), len(draft)):
            insort(self._places[draft[end - self.n : end]], (index, end))

    def candidates(self, verified: Sequence[int], length: int) -> list[Draft]:
        """Continuations of ``verified``, each at most ``length`` tokens, without duplicates.

        ``verified`` are the output tokens so far, the pending one last. Candidates come in the order of the
        drafts; a place further on in a draft comes first, because output moves forward.
        """
        if len(verified) < self.n:
            window = tuple(verified)
            size = len(window)
            found = [d[size : size + length] for d in self.drafts if d[:size] == window and len(d) > size]
        else:
            places = self._places.get(tuple(verified[-self.n :]), ())
            found = [self.drafts[index][end : end + length] for index, end in reversed(places)]
        return list(dict.fromkeys(found))
