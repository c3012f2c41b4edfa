"""The config file: TOML whose keys are the long names of options, read once and only here.

``--config FILE``, else ``docspec/config.toml`` under ``$XDG_CONFIG_HOME`` (``~/.config``). What is given on
the command line wins over it; the environment variable ``DOCSPEC_MODEL`` wins over its ``model``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from docspec.core import UsageError

MODEL_VARIABLE = "DOCSPEC_MODEL"


def default_path(environ: Mapping[str, str] | None = None) -> Path:
    """Where the config file is looked for when none is named."""
    environ = os.environ if environ is None else environ
    home = environ.get("XDG_CONFIG_HOME")
    base = Path(home) if home and Path(home).is_absolute() else Path.home() / ".config"
    return base / "docspec" / "config.toml"


def load(path: Path | None, allowed: Collection[str] | None = None) -> dict[str, Any]:
    """The options in the file at ``path`` (``None``: the default place, which need not exist), keyed by
    parameter.

    ``allowed`` holds the parameter names (``keep_furniture``), ``None`` takes any; keys may spell them with
    ``-``. Raises :class:`UsageError` for a file that is missing, is no TOML, or has a key or value that no
    option takes.
    """
    if path is None:
        path = default_path()
        if not path.is_file():
            return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot read the config file: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a valid TOML file: {error}") from error
    return {_parameter(key, value, path, allowed): _text(value) for key, value in values.items()}


def resolve_model(flag: str, environ: Mapping[str, str], configured: str | None) -> str:
    """The model to use: the flag, ``DOCSPEC_MODEL``, the config file, ``auto``; ``auto`` passes to the
    next.
    """
    candidates = (flag, environ.get(MODEL_VARIABLE, ""), configured or "")
    return next((name for name in candidates if name and name != "auto"), "auto")


def _parameter(key: str, value: Any, path: Path, allowed: Collection[str] | None) -> str:
    name = key.replace("-", "_")
    if allowed is not None and name not in allowed:
        known = ", ".join(sorted(option.replace("_", "-") for option in allowed))
        raise UsageError(f"{path}: unknown key {key!r}; known are {known}")
    if not isinstance(value, str | int | float | bool):
        raise UsageError(f"{path}: {key} must be a text, a number or true/false")
    return name


def _text(value: Any) -> Any:
    """Numbers as text, so that one place (the option's own type) converts and checks them; flags as they
    are.
    """
    return value if isinstance(value, bool) else str(value)
