"""Loads a checkpoint of a known family as a target. Of its ``generation_config.json`` the supported settings become
rules, others are reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from docspec.core import ModelError
from docspec.core.choices import Quantize
from docspec.core.libraries import without_bars
from docspec.core.safe_text import first_line
from docspec.targets.estimate import settings
from docspec.targets.family import Family
from docspec.targets.own_processor import OwnProcessor, named_class
from docspec.targets.processing import Processing
from docspec.targets.rules import GenerationRules, NgramBan

if TYPE_CHECKING:
    import torch

    from docspec.targets.adapter import TransformersTarget


NOT_FOLLOWED = (
    "guidance_scale",
    "exponential_decay_length_penalty",
    "watermarking_config",
    "stop_strings",
    "max_time",
    "penalty_alpha",
    "dola_layers",
)
"""Settings that would change greedy output and that docspec does not support."""

SAMPLING = ("temperature", "top_k", "top_p", "min_p", "typical_p", "top_h", "epsilon_cutoff", "eta_cutoff")


def rules_of(config: Any, eos_ids: Iterable[int], vocab: int, banned: NgramBan | None = None) -> GenerationRules:
    """The rules of a transformers ``GenerationConfig`` for a head of ``vocab`` tokens, and ``banned`` of the
    checkpoint's ``docspec.json``.

    Raises :class:`docspec.core.ModelError` for a value that transformers would not accept.
    """
    ngrams = [] if banned is None else [banned]
    size = getattr(config, "no_repeat_ngram_size", None)
    if size:
        ngrams.insert(0, NgramBan(int(size)))
    forced = getattr(config, "forced_eos_token_id", None)
    try:
        rules = GenerationRules(
            repetition_penalty=_or(config, "repetition_penalty", 1.0),
            sequence_bias=_biases(getattr(config, "sequence_bias", None)),
            ngrams=tuple(ngrams),
            bad_words=tuple(tuple(word) for word in _or(config, "bad_words_ids", ())),
            suppress=tuple(_or(config, "suppress_tokens", ())),
            begin_suppress=tuple(_or(config, "begin_suppress_tokens", ())),
            min_length=int(_or(config, "min_length", 0)),
            min_new_tokens=int(_or(config, "min_new_tokens", 0)),
            forced_eos=(forced,) if isinstance(forced, int) else tuple(forced or ()),
            eos=tuple(sorted(eos_ids)),
            vocab=vocab,
        )
        rules.check()
    except (TypeError, ValueError, IndexError) as error:
        raise ModelError(f"generation_config.json cannot be followed: {error}; correct it") from error
    return rules


def ban_of(said: Mapping[str, Any] | None) -> NgramBan | None:
    """The n-gram ban in ``no_repeat_ngrams`` of a validated ``docspec.json``."""
    if said is None:
        return None
    return NgramBan(said["size"], said.get("window"), frozenset(said.get("exceptions", ())))


def notes_of(config: Any) -> tuple[str, ...]:
    """One line for each way in which the published configuration decodes differently from docspec."""
    notes = []
    if getattr(config, "do_sample", False):
        said = [f"{name} {_or(config, name, None)}" for name in SAMPLING if _or(config, name, None) is not None]
        how = f" ({', '.join(said)})" if said else ""
        notes.append(f"the published configuration samples{how}; docspec decodes greedily")
    beams = _or(config, "num_beams", 1)
    if beams > 1:
        notes.append(f"the published configuration searches with {beams} beams; docspec decodes greedily")
    ignored = [name for name in NOT_FOLLOWED if _or(config, name, None) is not None]
    if ignored:
        notes.append(f"the published configuration's {', '.join(ignored)} is not followed")
    return tuple(notes)


def _or(config: Any, name: str, default: Any) -> Any:
    value = getattr(config, name, None)
    return default if value is None else value


def _biases(given: Any) -> tuple[tuple[tuple[int, ...], float], ...]:
    """``sequence_bias`` in either of transformers' formats."""
    pairs = given.items() if isinstance(given, dict) else given or ()
    return tuple((tuple(tokens), bias) for tokens, bias in pairs)


def load_family(
    family: Family,
    path: str,
    dtype: torch.dtype,
    device: torch.device,
    attention: str = "auto",
    quantize: Quantize = "none",
) -> tuple[TransformersTarget, tuple[str, ...]]:
    """The target in ``path`` on ``device``, and the names of the weights that its class does not use.

    Raises :class:`docspec.core.ModelError` in one line.
    """
    from docspec.targets.adapter import TransformersTarget
    from docspec.targets.attention import attentions

    try:
        cls = named_class(family.architecture)
        parts = (cls.config_class.sub_configs or {}).keys() if cls.config_class else ()
        placed = settings(quantize, dtype, device)
        model, left_out = from_pretrained(
            cls, path, dtype, attentions(attention, parts, family.vision_attention), **placed
        )
        if not placed:
            model = model.to(device)
        processing = inputs_of(family, path)
        ends = end_ids(model.generation_config, processing.tokenizer, family.end_tokens)
        target = TransformersTarget(model, processing, eos_ids=ends, logits=family.logits, packed=family.packed)
        target.split = attention == "split"
        if target.split and target.no_split:
            raise ModelError(f"attention split is not possible here: {target.no_split}; use --set attention=auto")
        return target, left_out
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{path} cannot be loaded as {family.architecture}: {first_line(error)}") from error


def inputs_of(family: Family, path: str) -> Processing:
    """The input processing of the family, with the files in ``path``."""
    if family.processor is not None and ":" in family.processor:
        cls = named_class(family.processor)
        if issubclass(cls, Processing):
            found: Processing = cls.from_pretrained(path)
            return found
    return OwnProcessor.from_pretrained(
        path, family.processor, family.template, family.factor, family.template_arguments
    )


def from_pretrained(
    cls: Any, path: str, dtype: torch.dtype, attention: dict[str, str], **placed: Any
) -> tuple[Any, tuple[str, ...]]:
    """The model of class ``cls`` in ``path`` with all its weights, and the names of unused weights; ``placed``: see
    :func:`docspec.targets.estimate.settings`."""
    from transformers.utils import logging

    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # its table of weights is said in a line here
    try:
        with without_bars():
            model, loading = cls.from_pretrained(
                path,
                local_files_only=True,
                output_loading_info=True,
                ignore_mismatched_sizes=True,  # they are reported with the missing ones
                dtype=dtype,
                attn_implementation=attention,
                **placed,
            )
    except Exception as error:
        raise ModelError(f"{path} cannot be loaded as {cls.__name__}: {first_line(error)}") from error
    finally:
        logging.set_verbosity(verbosity)
    absent = sorted(loading["missing_keys"]) + sorted(key[0] for key in loading["mismatched_keys"])
    if absent:
        raise ModelError(
            f"{path} is not a complete {cls.__name__}: {len(absent)} weights are missing or of another shape, "
            f"the first is {absent[0]}"
        )
    return model, tuple(sorted(loading["unexpected_keys"]))


def end_ids(generation: Any, tokenizer: Any, named: tuple[str, ...] = ()) -> frozenset[int]:
    """All tokens that end an answer: those of the generation configuration, otherwise ``named``, otherwise the
    tokenizer's."""
    said = generation.eos_token_id
    ids = {said} if isinstance(said, int) else set(said or ())
    if not ids and named:
        vocabulary = tokenizer.get_vocab()
        ids = {vocabulary[token] for token in named if token in vocabulary}
    if not ids and tokenizer.eos_token_id is not None:
        ids = {tokenizer.eos_token_id}
    return frozenset(ids)
