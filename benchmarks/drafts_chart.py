"""The figure of what drafts of varied quality are worth (figure 3 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.drafts import BY_DRAFTER, Point, levels, overall
from benchmarks.plots import SIMULATED, Axis, Spot, lines

AS_IT_IS = "drafter as it is"
LEVEL_NAMES = {
    "resolution": "image at a share of its resolution",
    "blur": "image blurred (pixels)",
    "jpeg": "image as JPEG (quality)",
    "noise": "share of characters wrong",
    "jitter": "boxes moved (share of side)",
}


def plot_drafts(path: Path, points: Sequence[Point], note: str, simulated: bool) -> None:
    """Speed-up of decoding over the accuracy of the draft, one line for each thing that was varied."""
    series: dict[str, list[Spot]] = {}
    for label, group in levels(points).items():
        if not any(point.draft_characters for point in group):
            continue
        accuracy = sum(point.accuracy for point in group) / len(group)
        name = AS_IT_IS if group[0].kind == BY_DRAFTER else LEVEL_NAMES[group[0].kind]
        text = label if group[0].kind == BY_DRAFTER else f"{group[0].value:g}"
        series.setdefault(name, []).append(Spot(100 * accuracy, overall(group, "verify"), text))
    x = Axis("Agreement of the draft with the target's own output (% of characters)")
    y = Axis("Speed-up of decoding, drafting not counted (times)", False, 1.0, "plain decoding")
    title = "What a draft of that quality is worth" + SIMULATED * simulated
    lines(path, title, note, series, x, y, apart=(AS_IT_IS,))
