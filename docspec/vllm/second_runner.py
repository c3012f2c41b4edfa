"""Connects docspec to vLLM's Model Runner V2, which by itself refuses custom proposers and falls back to the first one.

The same command line serves both: where V2 runs, docspec's proposer stands for :mod:`docspec.vllm.speculator` and
:mod:`docspec.vllm.scheduler`; where it does not (``VLLM_USE_V2_MODEL_RUNNER=0`` says so), and where this vLLM's
speculators have another form, it is the class of :mod:`docspec.vllm.proposer`. Configurations without docspec's
proposer are left as they are.
"""

from __future__ import annotations

import functools
import inspect
import logging
import sys
from typing import Any

from docspec.vllm.connection import tell
from docspec.vllm.lengths import own_schedule

NAMES = ("docspec.vllm.Proposer", "docspec.vllm.proposer.Proposer")
LEAST_VERSION = (0, 33)
REFUSED = "speculative method 'custom_class'"
SCHEDULER = "docspec.vllm.scheduler.DraftScheduler"

LOG = logging.getLogger("vllm.docspec")


def register() -> None:
    """Makes V2 take docspec's proposer, in this process. Raises ImportError where this vLLM has no V2."""
    from vllm.config import VllmConfig
    from vllm.v1.worker.gpu import spec_decode

    if getattr(spec_decode.init_speculator, "knows_docspec", False):
        return
    VllmConfig._get_v2_model_runner_unsupported_features = _unsupported(
        VllmConfig._get_v2_model_runner_unsupported_features
    )
    VllmConfig.__post_init__ = _configured(VllmConfig.__post_init__)
    spec_decode.init_speculator = _made(spec_decode.init_speculator)
    runner = sys.modules.get("vllm.v1.worker.gpu.model_runner")
    if runner is not None:  # it has taken the function by name
        runner.init_speculator = spec_decode.init_speculator  # type: ignore[attr-defined]


def is_asked_for(vllm_config: Any) -> bool:
    """Whether the configuration names docspec's proposer."""
    speculative = vllm_config.speculative_config
    return speculative is not None and speculative.method == "custom_class" and speculative.model in NAMES


@functools.cache
def fits() -> bool:
    """Whether this vLLM schedules asynchronously for a proposer that it does not know (older ones ask for its name
    whatever the runner, and steps without drafts would be dearer than V1's), and its speculators are asked as
    docspec's is."""
    from vllm import __version_tuple__

    if __version_tuple__[:2] < LEAST_VERSION:
        return False
    try:
        from vllm.v1.worker.gpu.spec_decode.speculator import BaseSpeculator

        from docspec.vllm.speculator import DraftSpeculator
    except ImportError:
        return False
    theirs, ours = (inspect.signature(one.propose).parameters for one in (BaseSpeculator, DraftSpeculator))
    return list(theirs) == list(ours) and not inspect.isabstract(DraftSpeculator)


def _unsupported(asked: Any) -> Any:
    @functools.wraps(asked)
    def unsupported(self: Any) -> list[str]:
        reasons: list[str] = asked(self)
        return [one for one in reasons if one != REFUSED or not (is_asked_for(self) and fits())]

    return unsupported


def _configured(post_init: Any) -> Any:
    @functools.wraps(post_init)
    def configured(self: Any, *args: Any, **kwargs: Any) -> None:
        is_second = is_asked_for(self) and self.use_v2_model_runner and fits()
        is_own = is_second and self.speculative_config.num_speculative_tokens_per_batch_size is None
        if is_own and self.scheduler_config.async_scheduling is not False:
            self.speculative_config.num_speculative_tokens_per_batch_size = own_schedule(self)
        post_init(self, *args, **kwargs)
        if not is_second:
            return
        if self.scheduler_config.async_scheduling and self.scheduler_config.scheduler_cls is None:
            self.scheduler_config.scheduler_cls = SCHEDULER
        elif is_own and self.scheduler_config.scheduler_cls != SCHEDULER:
            self.speculative_config.num_speculative_tokens_per_batch_size = None  # means nothing to vLLM's scheduler

    return configured


def _made(init_speculator: Any) -> Any:
    @functools.wraps(init_speculator)
    def made(vllm_config: Any, device: Any, req_states: Any) -> Any:
        if not is_asked_for(vllm_config):
            return init_speculator(vllm_config, device, req_states)
        from vllm.v1.worker.gpu.model_runner import GPUModelRunner

        from docspec.vllm.connection import tokenizer_of
        from docspec.vllm.speculator import DraftSpeculator

        LOG.warning(
            "docspec's speculator for Model Runner V2 has never run on a GPU; VLLM_USE_V2_MODEL_RUNNER=0 takes V1"
        )
        tell(GPUModelRunner, "speculator", DraftSpeculator)
        return DraftSpeculator(vllm_config, device, req_states, tokenizer_of(vllm_config))

    made.knows_docspec = True  # type: ignore[attr-defined]
    return made
