"""Records how each token of a row was produced, for requests that ask for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class Trail:
    """``steps``: for each verification step, how many tokens the row had before it and how many proposed ones it
    accepted; a row's first token is a step that accepted none. ``margins`` are those of the tokens, in logits, if they
    were computed. ``proposed`` names the source of the proposed token at each position of the output (written by the
    proposers; it may have a step's own last token, if a draft continues with it); this took ``seconds`` of processor
    time."""

    __slots__ = ("margins", "proposed", "seconds", "steps")

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []
        self.margins: list[float] = []
        self.proposed: dict[int, str] = {}
        self.seconds = 0.0

    def tokens_per_step(self, size: int) -> list[int]:
        """How many of the row's ``size`` tokens each step wrote, without the step of the first token."""
        starts = [min(start, size) for start, _ in self.steps]
        return [end - start for start, end in zip(starts[1:], [*starts[2:], size], strict=False) if end > start]

    def accepted(self, size: int) -> Iterator[bool]:
        """For each of the row's ``size`` tokens whether it was proposed and accepted."""
        positions = [False] * size
        for start, accepted in self.steps:
            for position in range(start, min(start + accepted, size)):
                positions[position] = True
        return iter(positions)

    def margin(self, positions: Sequence[int]) -> float | None:
        """The smallest margin at ``positions`` of the output; ``None`` if one is unknown."""
        known = [self.margins[position] for position in positions if position < len(self.margins)]
        known = [one for one in known if one == one]  # NaN: not computed
        return min(known) if known and len(known) == len(positions) else None
