"""Reads a checkpoint's ``generation_config.json``: the supported settings become rules, others are reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from docspec.core import ModelError
from docspec.targets.rules import GenerationRules, NgramBan

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
