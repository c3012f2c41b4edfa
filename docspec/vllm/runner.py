"""How docspec's proposer meets vLLM's model runner.

A custom proposer is not told which request a row of the batch is of, nor when a request begins. The runner knows;
so its step is wrapped, once in a process and when the proposer is made, and tells a proposer of docspec's that it
begins. Runners without one go their way untouched.
"""

from __future__ import annotations

import logging
from typing import Any

TRIED = ("0.32",)
"""Versions of vLLM that this was run with; another one is tried all the same."""

LOG = logging.getLogger("vllm.docspec")


def attach(proposer: type) -> None:
    """From now on runners tell a ``proposer`` of theirs of each step: ``begin_step(runner, scheduler_output)``."""
    from vllm.v1.worker.gpu_model_runner import GPUModelRunner

    execute_model = GPUModelRunner.execute_model
    if getattr(execute_model, "tells_docspec", False):
        return

    def telling(self: Any, scheduler_output: Any, *args: Any, **kwargs: Any) -> Any:
        drafter = getattr(self, "drafter", None)
        if isinstance(drafter, proposer):
            drafter.begin_step(self, scheduler_output)  # type: ignore[attr-defined]
        return execute_model(self, scheduler_output, *args, **kwargs)

    telling.tells_docspec = True  # type: ignore[attr-defined]
    GPUModelRunner.execute_model = telling
    _say_version()


def _say_version() -> None:
    import vllm

    version = str(vllm.__version__)
    if not version.startswith(TRIED):
        LOG.warning("docspec's proposer was run with vLLM %s; this is %s", ", ".join(TRIED), version)
