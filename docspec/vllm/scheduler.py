"""The scheduler for docspec's speculator under Model Runner V2: how many tokens each request verifies in a step.

vLLM's asynchronous scheduler gives every request the same number of places for drafted tokens, whether or not something
is drafted. Here a request without drafts, or whose drafts do not help, gets none: its step is that of a server without
speculation. Others get as many as vLLM says, so that the step fits the captured graphs.
"""

from __future__ import annotations

from typing import Any

from vllm.v1.core.sched.async_scheduler import AsyncScheduler

from docspec.vllm.lengths import Trust, is_own_schedule, trust_in


class DraftScheduler(AsyncScheduler):  # type: ignore[misc]
    """vLLM makes it where ``scheduler_cls`` names it (:mod:`docspec.vllm.second_runner`)."""

    dynamic_sd_lookup: list[int] | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._trust: dict[str, Trust | None] = {}
        if self.dynamic_sd_lookup is not None and is_own_schedule(self.vllm_config):
            self.dynamic_sd_lookup = [self.num_spec_tokens] * len(self.dynamic_sd_lookup)

    def _update_after_schedule(self, scheduler_output: Any) -> None:
        for ended in scheduler_output.finished_req_ids:
            self._trust.pop(ended, None)
        alone = [name for name in scheduler_output.num_scheduled_tokens if not self._speculates(name)]
        if len(alone) == len(scheduler_output.num_scheduled_tokens):
            scheduler_output.num_spec_tokens_to_schedule = 0
        super()._update_after_schedule(scheduler_output)
        for name in alone:
            self.requests[name].spec_token_ids = []

    def _speculates(self, name: str) -> bool:
        if name not in self._trust:
            params = self.requests[name].sampling_params
            self._trust[name] = trust_in(getattr(params, "extra_args", None))
        trust = self._trust[name]
        return trust is not None and trust.speculates()

    def make_spec_decoding_stats(
        self,
        spec_decoding_stats: Any,
        num_draft_tokens: int,
        num_accepted_tokens: int,
        num_invalid_spec_tokens: dict[str, int] | None,
        request_id: str,
    ) -> Any:
        """vLLM's, which is called once for each verified request of a step."""
        trust = self._trust.get(request_id)
        if trust is not None and num_draft_tokens:
            trust.verified(num_accepted_tokens)
        return super().make_spec_decoding_stats(
            spec_decoding_stats,
            num_draft_tokens=num_draft_tokens,
            num_accepted_tokens=num_accepted_tokens,
            num_invalid_spec_tokens=num_invalid_spec_tokens,
            request_id=request_id,
        )
