"""One adapter over transformers' vision-language classes: their own prefill, their own decoder, our cache.

The prompt runs once through the top-level class (vision, image tokens and multi-axis positions are its business);
after that the text decoder is called directly with explicit positions and a four-dimensional mask.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from PIL.Image import Image
from torch.nn import functional

from docspec.core import ModelError
from docspec.targets.attention import FOLDED, additive_mask, folded_mask, within_window
from docspec.targets.card import TargetCard
from docspec.targets.kv import KVCache, KVMemory, KVSpec
from docspec.targets.kv_arena import KVArena
from docspec.targets.prefill import prefill_rows
from docspec.targets.processing import Processing
from docspec.targets.protocol import Prefill, Prompt, PromptStates
from docspec.targets.rules import GenerationRules, RowRules
from docspec.targets.stepping.eager import EagerSteps
from docspec.targets.stepping.judging import chosen
from docspec.targets.stepping.step import Choice, StepRunner
from docspec.targets.threads import decoding_threads, using_threads
from docspec.targets.weight_layout import store_for_narrow_steps

PER_TOKEN = ("input_ids", "mm_token_type_ids")
"""Model inputs of shape ``(1, length)``; the others have one entry an image or a patch."""


class TransformersTarget:
    """A transformers model as :class:`docspec.targets.protocol.TargetModel`.

    ``rope_axes`` is 3 for multi-axis rotary embedding (Qwen-VL kin) and 1 for a plain one (dots.ocr).
    """

    def __init__(
        self, model: Any, processing: Processing, *, rope_axes: int, eos_ids: frozenset[int]
    ) -> None:
        self.model = model.eval()
        self.processing = processing
        self.rope_axes = rope_axes
        self.eos_ids = eos_ids
        self._decoder = model.get_decoder()
        self._embed = self._decoder.get_input_embeddings()
        self._head = model.get_output_embeddings()
        store_for_narrow_steps(self._decoder)
        config = self._decoder.config
        self.kv_spec = KVSpec(
            layers=config.num_hidden_layers,
            kv_heads=config.num_key_value_heads,
            head_dim=getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads,
            dtype=self._embed.weight.dtype,
            device=self._embed.weight.device,
        )
        self._groups = config.num_attention_heads // config.num_key_value_heads
        self._window = _window(config, rope_axes)
        self.kv: KVMemory = KVArena(self.kv_spec)
        self.steps: StepRunner = EagerSteps(self)
        self.rules = GenerationRules()
        self.card = TargetCard("markdown")
        self._threads = torch.get_num_threads()  # decoding may use fewer
        self.max_length = int(config.max_position_embeddings)

    @property
    def attention(self) -> str:
        """The attention implementation in force, read from the text decoder's own configuration."""
        return str(self._decoder.config._attn_implementation)

    @property
    def decoder_bytes(self) -> int:
        """Bytes of the weights that every step reads: the decoder's layers and the head, the embedding table only
        where it is the head."""
        layers = sum(
            weight.nbytes for weight in self._decoder.parameters() if weight is not self._embed.weight
        )
        return layers + self._head.weight.nbytes

    def encode(self, image: Image, prompt: str) -> Prompt:
        inputs = self.processing.encode(image, prompt)
        return Prompt(inputs, int(inputs["input_ids"].shape[1]))

    def prefill(
        self, prompts: Sequence[Prompt], cache: KVCache, rows: Sequence[int], states: bool = False
    ) -> list[Prefill]:
        """Prefills prompts of similar length together, with all threads (:mod:`docspec.targets.prefill`)."""
        with using_threads(self._threads):
            return prefill_rows(self, prompts, cache, rows, states)

    @torch.inference_mode()
    def prefill_together(
        self, prompts: Sequence[Prompt], cache: KVCache, rows: Sequence[int], states: bool = False
    ) -> list[Prefill]:
        """The top-level forward pass over several prompts, padded on the right, their images one after the other.

        Padding counts as text that nobody looks at: it changes neither positions nor the rope delta of its row.
        Raises ``ValueError`` if a prompt does not fit the cache.
        """
        lengths = [prompt.length for prompt in prompts]
        cache.begin_prefills(rows, lengths)
        ends = sorted({length - 1 for length in lengths})
        with self._watching_decoder(states) as seen:
            output = self.model(
                **self._joined([prompt.inputs for prompt in prompts], max(lengths)),
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=torch.tensor(ends, device=self.kv_spec.device),
            )
        return [
            Prefill(
                output.logits[row, ends.index(length - 1)],
                length,
                self._rope_delta(row),
                PromptStates(*(of_all[row, :length] for of_all in seen[0])) if seen else None,
            )
            for row, length in enumerate(lengths)
        ]

    @contextmanager
    def _watching_decoder(self, states: bool) -> Iterator[list[tuple[torch.Tensor, torch.Tensor]]]:
        """Notes what the text decoder is given and what it makes of it, where ``states`` are wanted."""
        seen: list[tuple[torch.Tensor, torch.Tensor]] = []
        if not states:
            yield seen
            return

        def note(decoder: Any, args: Any, inputs: dict[str, Any], output: Any) -> None:
            seen.append((inputs["inputs_embeds"], output.last_hidden_state))

        hook = self._decoder.register_forward_hook(note, with_kwargs=True)
        try:
            yield seen
        finally:
            hook.remove()

    def _joined(self, inputs: Sequence[dict[str, torch.Tensor]], longest: int) -> dict[str, torch.Tensor]:
        """One batch of all ``inputs``: what has one entry a token is padded and stacked, images are concatenated.

        There is no attention mask: it would only say what causal attention from left to right implies.
        """
        joined = {}
        for name in inputs[0].keys() - {"attention_mask"}:
            values = [one[name] for one in inputs]
            if name in PER_TOKEN:
                values = [functional.pad(value, (0, longest - value.shape[1])) for value in values]
            joined[name] = torch.cat(values).to(self.kv_spec.device)
        return joined

    def _rope_delta(self, row: int = 0) -> int:
        """The delta of a prompt that was just run; module state that the next prompt overwrites."""
        deltas = getattr(self.model.model, "rope_deltas", None)
        return int(deltas.flatten()[row]) if deltas is not None else 0

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self._embed(tokens)

    def hidden(
        self, tokens: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor, cache: KVCache
    ) -> torch.Tensor:
        masks: Any = self._prepared(mask)
        if self._window is not None:
            near = mask & within_window(positions, cache, mask.shape[2], self._window)
            masks = {"full_attention": masks, "sliding_attention": self._prepared(near)}
        if self.rope_axes > 1:
            positions = positions.unsqueeze(0).expand(self.rope_axes, -1, -1)
        return self._decoder(
            inputs_embeds=self.embed(tokens),
            position_ids=positions,
            attention_mask=masks,
            past_key_values=cache,
            use_cache=True,
        ).last_hidden_state

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return self._head(hidden)

    def _prepared(self, mask: torch.Tensor) -> torch.Tensor:
        """Boolean ``(rows, tree, slots)`` as the decoder's attention takes it."""
        mask = mask.unsqueeze(1)
        if self.attention == "eager":  # takes additive masks only; a boolean one would be added as 0 and 1
            return additive_mask(mask, self.kv_spec.dtype)
        if self.attention == FOLDED and self._groups > 1:
            return folded_mask(mask, self._groups, self.kv_spec.dtype)
        return mask

    def choose(self, logits: torch.Tensor, rules: RowRules | None = None, margin: bool = False) -> Choice:
        return chosen(logits, rules, margin)

    def decoding(self) -> AbstractContextManager[None]:
        return decoding_threads(self)

    def tokenize(self, text: str) -> list[int]:
        # verbose=False: drafts may well be longer than the model's context, which is nothing to warn of
        return self.processing.tokenizer.encode(text, add_special_tokens=False, verbose=False)

    def detokenize(self, tokens: list[int]) -> str:
        return self.processing.tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )


def _window(config: Any, rope_axes: int) -> int | None:
    """Tokens that the decoder's sliding layers look back, themselves included; ``None`` where it has no such layers.

    Raises :class:`docspec.core.ModelError` for kinds of attention that tree masks cannot express.
    """
    kinds = set(getattr(config, "layer_types", None) or ())
    if unknown := kinds - {"full_attention", "sliding_attention"}:
        raise ModelError(f"layers of type {min(unknown)} (layer_types in config.json) are not supported")
    if "sliding_attention" not in kinds:
        return None
    window = getattr(config, "sliding_window", None)
    if window is None or rope_axes > 1:
        raise ModelError(
            "sliding_attention (layer_types in config.json) needs sliding_window and plain positions; this model is "
            "not supported"
        )
    return int(window)
