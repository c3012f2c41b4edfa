"""The config file: TOML whose keys are the long names of options, read once and only here, and ``--set NAME=VALUE``.

``--config FILE``, else ``docspec/config.toml`` under ``$XDG_CONFIG_HOME`` (``~/.config``). What is given on
the command line wins over it, by ``--set`` too; the environment variable ``DOCSPEC_MODEL`` wins over its ``model``.
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from docspec.core import UsageError
from docspec.core.options import OPTIONS, flag_of
from docspec.core.paths import config_folder

MODEL_VARIABLE = OPTIONS["model"].variable or ""
MOST_BYTES = 2**20

_KINDS: Mapping[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a finite number"),
}

_NAMES = {flag_of(name).removeprefix("--").replace("-", "_"): name for name in OPTIONS}
"""Fields by the names of their flags."""


def default_path() -> Path:
    """The default path of the config file."""
    return config_folder() / "config.toml"


def load(path: Path | None, kinds: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The options in the file at ``path`` (``None``: the default place, which need not exist), keyed by
    parameter.

    ``kinds`` holds the types of the parameters by name (``keep_furniture``), ``None`` takes any; keys may spell them
    with ``-``. Raises :class:`UsageError` for a file that is missing, is no TOML, or has a key or a type of value that
    no option takes; ranges and choices are the options' own.
    """
    if path is None:
        path = default_path()
        if not path.is_file():
            return {}
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES:,} bytes")
        values = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot read the config file: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:  # wrong syntax, wrong encoding, numbers and nesting without end
        raise UsageError(f"{path}: not a valid TOML file: {error}") from error
    return _options(values.items(), str(path), kinds)


def settings(words: Sequence[str], kinds: Mapping[str, Any]) -> dict[str, Any]:
    """The options in ``NAME=VALUE`` words of ``--set``, as :func:`load` has those of a file. A value is TOML, or a text
    without its quotes."""
    values: list[tuple[str, Any]] = []
    for word in words:
        key, sign, text = word.partition("=")
        if not sign:
            raise UsageError(f"--set {word}: write NAME=VALUE")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except (ValueError, RecursionError):
            value = text
        is_text = _kind_of(kinds.get(_name_of(key))) not in (*_KINDS, list)
        values.append((key, value if not is_text or isinstance(value, str) else text))
    return _options(values, "--set", kinds)


def _options(values: Iterable[tuple[str, Any]], place: str, kinds: Mapping[str, Any] | None) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for key, value in values:
        name = _name_of(key)
        if name in options:
            raise UsageError(f"{place}: {key} is given twice")
        options[name] = _checked(key, name, value, place, kinds)
    return options


def _name_of(key: str) -> str:
    """The parameter that ``key`` names."""
    name = key.strip().replace("-", "_")
    return _NAMES.get(name, name)


def _kind_of(kind: Any) -> Any:
    """``kind`` without ``None``, and ``list`` for one of many."""
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    return get_origin(kind) if get_origin(kind) is list else kind


def resolve_model(flag: str, configured: str | None) -> str:
    """The model to use: the flag, ``DOCSPEC_MODEL``, the config file, ``auto``; ``auto`` passes to the next."""
    candidates = (flag, os.environ.get(MODEL_VARIABLE, ""), configured or "")
    return next((name for name in candidates if name and name != "auto"), "auto")


def configured_model(flag: str) -> str:
    """The model to use where the config file is in its default place."""
    return resolve_model(flag, load(None).get("model"))


def _checked(key: str, name: str, value: Any, place: str, kinds: Mapping[str, Any] | None) -> Any:
    """``value`` as its option takes it: numbers as text, so that only the option's own type converts and checks them,
    flags as they are. A text is no number and a flag is neither."""
    if kinds is None:
        accepted: tuple[type, ...] = (str, bool, int, float)
        wanted = "a text, a number or true/false"
    elif name in kinds:
        kind = _kind_of(kinds[name])
        if kind is list:
            return _list_of(key, value, place)
        accepted, wanted = _KINDS.get(kind, ((str,), "a text in quotes"))
    else:
        known = sorted(flag_of(option).removeprefix("--") for option in kinds)
        if near := get_close_matches(key, known, 1, 0.75):
            raise UsageError(f"{place}: unknown key {key!r}; is it {near[0]}?")
        raise UsageError(f"{place}: unknown key {key!r}; known are {', '.join(known)}")
    odd = isinstance(value, float) and not math.isfinite(value)
    if odd or not isinstance(value, accepted) or (isinstance(value, bool) and bool not in accepted):
        raise UsageError(f"{place}: {key} must be {wanted}, not {_shown(value)}")
    return value if isinstance(value, bool) else str(value)


def _list_of(key: str, value: Any, place: str) -> list[str]:
    """The values of an option that may be repeated: a text, or a list of texts."""
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in values):
        raise UsageError(f"{place}: {key} must be a text in quotes, or a list of them, not {_shown(value)}")
    return values


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return str(value).lower() if isinstance(value, bool) else repr(value)[:80]
