"""Adapts transformers' vision-language classes: their own prefill, their own decoder, our KV cache.

The prompt runs once through the top-level class, which handles vision, image tokens and multi-axis positions. After
that the text decoder is called directly with explicit positions and a four-dimensional mask.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from inspect import signature
from typing import Any

import torch
from PIL.Image import Image, Resampling
from torch.nn import functional

from docspec.core import ModelError
from docspec.targets.attention import (
    FOLDED,
    PACKED,
    SPLIT,
    AttentionWindow,
    Packed,
    additive_mask,
    choose_kernels,
    folded_mask,
    packing,
    prompt_kernels,
    within_window,
)
from docspec.targets.family import Sight
from docspec.targets.faster_modules import embed_by_products, grids_on_host, store_for_narrow_steps
from docspec.targets.kv import KVSpec
from docspec.targets.kv_arena import KVArena
from docspec.targets.kv_cache import SlotCache
from docspec.targets.merged import add_with_norms
from docspec.targets.merged_products import multiply_together
from docspec.targets.model_profile import ModelProfile
from docspec.targets.one_kernel import gate_in_one_kernel, normalise_in_one_kernel, rotate_in_one_kernel
from docspec.targets.prefill import MAX_TOKENS, Masks, captured_states, in_pieces, only, prefill_rows, token_importance
from docspec.targets.processing import Processing, TokenizerCodec
from docspec.targets.protocol import PER_TOKEN, ImportanceCallback, Prefill, Prompt, PromptStates
from docspec.targets.recurrent.layers import KIND, recurrent_spec, verify_by_trees
from docspec.targets.rules import GenerationRules, RowRules
from docspec.targets.staging import uploaded
from docspec.targets.stepping.eager import EagerSteps
from docspec.targets.stepping.outputs import choice_of
from docspec.targets.stepping.step import Choice, StepRunner
from docspec.targets.threads import decoding_threads, using_threads
from docspec.targets.tree_attention import not_working

SLIDING = {"sliding_attention": False, "reference_sliding_attention": True}
"""Types of layers with a sliding window, and whether they also attend to the whole prompt."""


class TransformersTarget:
    """A transformers model as :class:`docspec.targets.protocol.TargetModel`.

    ``logits`` is the class's function on the output of its head, given the decoder's configuration; ``packed`` are
    inputs that hold all images of a pass in one row, concatenated along the last axis. Everything else is read from the
    model: its decoder, its state of a prompt's positions, the windows of its layers.
    """

    def __init__(
        self,
        model: Any,
        processing: Processing,
        *,
        eos_ids: frozenset[int],
        logits: Callable[[Any, Any], Any] | None = None,
        packed: frozenset[str] = frozenset(),
    ) -> None:
        self._packed = packed
        self.model = model.eval()
        self.processing = processing
        self.eos_ids = eos_ids
        self._logits = logits
        self.decoder = model.get_decoder()
        self._embed = self.decoder.get_input_embeddings()
        self._head = model.get_output_embeddings()
        store_for_narrow_steps(self.decoder)
        embed_by_products(model)
        norms = normalise_in_one_kernel(model)
        self._grids = grids_on_host(model)
        config = self.decoder.config
        recurrent = recurrent_spec(self.decoder)
        if recurrent is not None:
            verify_by_trees(self.decoder, recurrent)
        self.kv_spec = KVSpec(
            layers=config.num_hidden_layers - (0 if recurrent is None else len(recurrent.layers)),
            kv_heads=config.num_key_value_heads,
            head_dim=getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads,
            dtype=self._embed.weight.dtype,
            device=self._embed.weight.device,
            recurrent=recurrent,
        )
        rotations = rotate_in_one_kernel(self.decoder, self.kv_spec)
        gates = gate_in_one_kernel(self.decoder)
        sums = add_with_norms(self.decoder)
        products = multiply_together(self.decoder)
        self.kernels = {"norms": norms, "rotations": rotations, "gates": gates, "sums": sums, "products": products}
        """Modules that are computed by kernels of docspec's own, by what they do."""
        choose_kernels(self.kv_spec.device)
        self._groups = config.num_attention_heads // config.num_key_value_heads
        self._window = _window(config)
        self._keeps = "logits_to_keep" in signature(model.forward).parameters  # else all of a prompt go to the head
        self._turns = hasattr(model.model, "get_rope_index")  # positions are not places: images take fewer
        self.kv = KVArena(self.kv_spec)
        self.steps: StepRunner = EagerSteps(self)
        self.rules = GenerationRules()
        self.card = ModelProfile("markdown")
        self.split = False
        self._no_mask = torch.zeros((1, 1, 1, 1), dtype=self.kv_spec.dtype, device=self.kv_spec.device)
        self.piece = MAX_TOKENS
        """Prompt tokens that the decoder is given at once at most."""
        self._threads = torch.get_num_threads()  # decoding may use fewer
        self.max_length = int(config.max_position_embeddings)

    @property
    def attention(self) -> str:
        """The attention implementation in use, read from the text decoder's own configuration."""
        return str(self.decoder.config._attn_implementation)

    @cached_property
    def no_split(self) -> str:
        """Why steps cannot attend by :mod:`docspec.targets.tree_attention`; empty if they can. Its kernels are run once
        to find out."""
        if self.attention != FOLDED:
            return f"attention is {self.attention}"
        if self._window is not None or self.kv_spec.recurrent is not None:
            return "the model has layers with windows or states"
        return not_working(self.kv_spec, self._groups)

    @property
    def decoder_bytes(self) -> int:
        """Bytes of the weights that every step reads: the decoder's layers and the head; the embedding table only if it
        is the head."""
        layers = sum(weight.nbytes for weight in self.decoder.parameters() if weight is not self._embed.weight)
        return layers + self._head.weight.nbytes

    @property
    def sight(self) -> Sight:
        return self.processing

    def encode(self, image: Image, prompt: str) -> Prompt:
        return _prompt(self.processing.encode(self._shown(image), prompt))

    def encode_all(self, asked: Sequence[tuple[Image, str]]) -> list[Prompt]:
        shown = [(self._shown(image), prompt) for image, prompt in asked]
        return list(map(_prompt, self.processing.encode_all(shown)))

    def _shown(self, image: Image) -> Image:
        """``image``, reduced if the card limits the length of a side."""
        most = self.card.longest_px
        if most is None or max(image.size) <= most:
            return image
        scale = most / max(image.size)
        size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
        return image.resize(size, Resampling.LANCZOS)

    def prefill(
        self,
        prompts: Sequence[Prompt],
        cache: SlotCache,
        rows: Sequence[int],
        states: bool = False,
        on_importance: ImportanceCallback | None = None,
    ) -> list[Prefill]:
        """Prefills prompts of similar length together, with all threads (:mod:`docspec.targets.prefill`)."""
        with using_threads(self._threads):
            together = min(self.piece, MAX_TOKENS)
            return prefill_rows(self, prompts, cache, rows, states, together, on_importance)

    def alike(self, prompt: Prompt) -> Hashable:
        """A key that is equal for prompts that can share a forward pass: their images can be concatenated."""
        return frozenset(
            (name, value.shape[1:-1] if name in self._packed else value.shape[1:])
            for name, value in prompt.inputs.items()
            if name not in PER_TOKEN
        )

    @torch.inference_mode()
    def prefill_together(
        self,
        prompts: Sequence[Prompt],
        cache: SlotCache,
        rows: Sequence[int],
        states: bool = False,
        on_importance: ImportanceCallback | None = None,
    ) -> list[Prefill]:
        """The top-level forward pass over several prompts, padded on the right, their images concatenated.

        Padding counts as text that nothing attends to: it changes neither positions nor the rope delta of its row.
        Raises ``ValueError`` if a prompt does not fit the cache.
        """
        lengths = [prompt.length for prompt in prompts]
        cache.begin_prefills(rows, lengths)
        ends = sorted({length - 1 for length in lengths})
        if self._turns:
            self.model.model.rope_deltas = None  # what another prompt left there
        pieces = in_pieces(self.decoder, self._prompt_masks, cache, rows, max(lengths), self.piece)
        told = token_importance(self.decoder, self.embed, prompts, on_importance)
        kernels = prompt_kernels(self.kv_spec.device, max(lengths))
        with captured_states(self.decoder, states) as seen, pieces, told, kernels:
            logits = self._last_logits([prompt.inputs for prompt in prompts], max(lengths), cache, ends)
        return [
            Prefill(
                logits[row, ends.index(length - 1)],
                length,
                self._rope_delta(row) if has_images(prompts[0]) else 0,  # positions of text alone are its places
                PromptStates(*(of_all[row, :length] for of_all in seen[0])) if seen else None,
            )
            for row, length in enumerate(lengths)
        ]

    @torch.inference_mode()
    def prefill_tokens(self, prompt: Prompt, cache: SlotCache, row: int, indices: torch.Tensor) -> Prefill:
        kept = len(indices)
        cache.begin_prefills([row], [kept])
        if self._turns:
            self.model.model.rope_deltas = None
        with only(self.decoder, self._prompt_masks, cache, prompt.length, indices):
            logits = self._last_logits([prompt.inputs], prompt.length, cache, [kept - 1])
        return Prefill(logits[0, 0], kept, prompt.length + self._rope_delta() - kept)

    def _last_logits(
        self, inputs: Sequence[dict[str, torch.Tensor]], longest: int, cache: SlotCache, ends: Sequence[int]
    ) -> torch.Tensor:
        """Runs prompts together and returns the logits ``(rows, ends, vocab)`` at the positions ``ends``."""
        asked = {**self._joined(inputs, longest), "past_key_values": cache, "use_cache": True}
        indices = torch.tensor(ends, device=self.kv_spec.device)
        if self._keeps:
            logits: torch.Tensor = self.model(**asked, logits_to_keep=indices).logits
            return logits
        return self.logits(self.model.model(**asked).last_hidden_state[:, indices])

    def _joined(self, inputs: Sequence[dict[str, torch.Tensor]], longest: int) -> dict[str, torch.Tensor]:
        """One batch of all ``inputs``: per-token inputs are padded and stacked, images are concatenated.

        There is no attention mask, because it would only express causal attention. Raises
        :class:`docspec.core.ModelError` for an unknown per-token input: its padding, and its values for output tokens,
        are unknown.
        """
        joined = {}
        for name in inputs[0].keys() - {"attention_mask"}:
            values = [one[name] for one in inputs]
            if name not in PER_TOKEN and values[0].shape == inputs[0]["input_ids"].shape:
                raise ModelError(f"the model's input {name} has one entry a token and is not known here")
            if name in PER_TOKEN:
                values = [functional.pad(value, (0, longest - value.shape[1])) for value in values]
            whole = torch.cat(values, dim=-1 if name in self._packed else 0)
            if whole.is_floating_point():
                whole = whole.to(self.kv_spec.dtype)
            joined[name] = whole if name in self._grids else uploaded(whole, self.kv_spec.device)
        return joined

    def _rope_delta(self, row: int = 0) -> int:
        """The rope delta of the last prompt: module state that the next prompt overwrites."""
        if not self._turns:
            return 0
        deltas = self.model.model.rope_deltas
        if deltas is None:
            raise ModelError(f"{type(self.model).__name__} left no rope_deltas behind: a prompt without an image?")
        return int(deltas.flatten()[row])

    def embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self._embed(tokens)

    def hidden(
        self, tokens: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor | None, cache: SlotCache
    ) -> torch.Tensor:
        told: dict[str, Any] = {}
        if mask is None:
            masks, packed = self._no_mask, None
            told[SPLIT] = cache.trees
        else:
            masks, packed = self.masks(mask, cache), self._packing(tokens, cache)
        if packed is not None:
            tokens, positions = packed.gathered(tokens), packed.gathered(positions)
            cache.write_index = cache.write_index.index_select(0, packed.index)
            told[PACKED] = packed
        hidden = self.decoder(
            inputs_embeds=self.embed(tokens),
            position_ids=positions,  # the same on every axis: those of text
            attention_mask=masks,
            past_key_values=cache,
            use_cache=True,
            **told,
        ).last_hidden_state
        return hidden if packed is None else packed.spread(hidden)

    def _packing(self, tokens: torch.Tensor, cache: SlotCache) -> Packed | None:
        """How the trees of a step are packed; only on a CPU, where computation dominates and shapes need not repeat."""
        if self.attention != FOLDED or tokens.device.type != "cpu" or torch.compiler.is_compiling():
            return None
        return packing(cache, *tokens.shape) if len(tokens) > 1 else None

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        logits = self._head(hidden)
        return logits if self._logits is None else self._logits(logits, self.decoder.config)

    def masks(self, mask: torch.Tensor, cache: SlotCache, folded: bool = True) -> Any:
        """The decoder's masks for a boolean ``(rows, tokens, slots)`` one, for each type of layer; ``folded`` for
        trees, if the attention is folded."""
        everywhere = self._prepared(mask, folded)
        if self.kv_spec.recurrent is not None:
            return {"full_attention": everywhere, KIND: mask}
        if self._window is None:
            return everywhere
        near = mask & within_window(cache, mask, self._window)
        return {"full_attention": everywhere, self._window.kind: self._prepared(near, folded)}

    @property
    def _prompt_masks(self) -> Masks | None:
        """:meth:`masks` for the pieces of a prompt; ``None`` if attention is causal without any."""
        causal = self.attention == FOLDED and self._window is None and self.kv_spec.recurrent is None
        return None if causal else self.masks

    def _prepared(self, mask: torch.Tensor, folded: bool) -> torch.Tensor:
        mask = mask.unsqueeze(1)
        if self.attention == FOLDED and self._groups > 1 and folded:
            return folded_mask(mask, self._groups, self.kv_spec.dtype)
        if self.attention in ("eager", FOLDED):  # eager takes no other: a boolean one would be added as 0 and 1
            return additive_mask(mask, self.kv_spec.dtype)
        return mask

    def choose(self, logits: torch.Tensor, rules: RowRules | None = None, margin: bool = False) -> Choice:
        return choice_of(logits, rules, margin)

    def decoding(self) -> AbstractContextManager[None]:
        return decoding_threads(self)

    @property
    def codec(self) -> TokenizerCodec:
        """The model's texts as tokens."""
        return TokenizerCodec(self.processing.tokenizer, self.card.writes_special_tokens)

    def tokenize(self, text: str) -> list[int]:
        return self.codec.tokenize(text)

    def detokenize(self, tokens: list[int]) -> str:
        return self.codec.detokenize(tokens)


def has_images(prompt: Prompt) -> bool:
    """Whether a prompt has inputs other than tokens."""
    return bool(prompt.inputs.keys() - set(PER_TOKEN))


def _prompt(inputs: dict[str, torch.Tensor]) -> Prompt:
    return Prompt(inputs, int(inputs["input_ids"].shape[1]))


def _window(config: Any) -> AttentionWindow | None:
    """The window of the decoder's sliding layers; ``None`` without such layers.

    Raises :class:`docspec.core.ModelError` for types of attention that tree masks cannot express.
    """
    kinds = set(getattr(config, "layer_types", None) or ()) - {"full_attention", KIND}
    if not kinds:
        return None
    kind = min(kinds - SLIDING.keys() or kinds)
    if kind not in SLIDING or len(kinds) > 1:
        raise ModelError(f"layers of type {kind} (layer_types in config.json) are not supported")
    window = getattr(config, "sliding_window", None)
    if window is None:
        raise ModelError(f"{kind} (layer_types in config.json) needs sliding_window")
    return AttentionWindow(kind, int(window), SLIDING[kind])
