"""Steps in buckets that replay the plain computation: what padding and static buffers do, without an accelerator."""

from __future__ import annotations

from docspec.targets.stepping.bucketed import ReplayStep, StaticStep


class NoCapture:
    """A :class:`docspec.targets.stepping.bucketed.Capture` that captures nothing."""

    mode = "static"

    def capture(self, step: StaticStep) -> ReplayStep:
        step.compute()
        return step.compute

    def forget(self) -> None:
        return None
