"""Names that the scripted model and its driver agree on; nothing here imports vLLM."""

from __future__ import annotations

SCRIPTED = "benchmarks.device.vllm_scripted.Scripted"
BEFORE_HEAD = "benchmarks.device.vllm_scripted_head.ScriptedBeforeHead"
"""The same with docspec's drafts before the model's own head: vLLM takes one extension."""

SCRIPTS, HEAD_RIGHT = "docspec_scripts", "docspec_head_right"
"""Of ``--additional-config``: the transcripts' file, the share of the head's tokens that are right."""

FIELD = "docspec_script"
"""Of ``vllm_xargs``: the number of a request's transcript."""
