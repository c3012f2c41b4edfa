"""The scripted model with docspec's drafts before the head that the model brings, as one extension of vLLM's worker.

vLLM takes one extension, and importing its module is what counts: this one imports both.
"""

from __future__ import annotations

import benchmarks.device.vllm_scripted  # noqa: F401
import docspec.vllm.head  # noqa: F401


class ScriptedBeforeHead:
    """Added to the bases of vLLM's worker."""
