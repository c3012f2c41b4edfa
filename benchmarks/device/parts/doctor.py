"""``docspec doctor --device``, the command that users are told to run first."""

from __future__ import annotations

from benchmarks.device.context import Context


def run(context: Context, _: str) -> None:
    from docspec.bench import device, device_checks, step

    if context.tiny:
        for name, small in (("TREES", (1, 8)), ("ROWS", (1, 2)), ("PREFIX", 100), ("TOKENS", 24), ("REPEATS", 1)):
            setattr(device_checks, name, small)
        step.ELEMENTS_ELSEWHERE = 2**14
    for line in device.examine_device(context.device_name, "mini", seconds=max(10.0, context.left - 10)):
        context.emit("doctor", name=line.name, ok=line.ok, detail=line.detail, remedy=line.remedy, figures=line.figures)
