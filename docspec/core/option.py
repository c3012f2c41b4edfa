"""How an option is declared: a field of a dataclass with its default, its help and its bounds, in one place.

The command line, the benchmarks, the config file, the Python interface and its reference all read it from there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from functools import partial
from typing import Any, Literal, get_args, get_origin, get_type_hints

from docspec.core.errors import UsageError

DOCUMENTS = "Documents"
DRAFTS = "Drafts"
INSPECTION = "Inspection"
MACHINES = "Machines"
MODEL = "Model"
OUTPUT = "Output"
PAGES = "Pages"
SERVERS = "Servers"
SPECULATION = "Speculation"
"""Panels of the help page."""

LARGEST = 2**53
"""All options are smaller, because larger numbers do not fit where they are used."""

_KEY = "option"


@dataclass(frozen=True, slots=True)
class Option:
    """What is said of an option beside its type and default. ``group`` is its panel of the help page. ``flags`` are its
    names on the command line if they do not follow from the field's. ``variable`` of the environment holds if neither
    the command line nor the config file says anything. Numbers are from ``least`` to ``most``. One that is
    ``config_only`` is a setting of the config file, of ``--set NAME=VALUE`` and of Python, and no word of
    ``docspec parse``; benchmarks that measure it may offer it."""

    help: str
    group: str
    metavar: str | None = None
    flags: tuple[str, ...] = ()
    variable: str | None = None
    least: float | None = None
    most: float | None = None
    config_only: bool = False


def option(
    default: Any,
    help: str,
    group: str,
    metavar: str | None = None,
    *,
    flags: tuple[str, ...] = (),
    variable: str | None = None,
    least: float | None = None,
    most: float | None = None,
    config_only: bool = False,
) -> Any:
    """A dataclass field that is an :class:`Option`."""
    declared = Option(help, group, metavar, flags, variable, least, most, config_only)
    return field(default=default, metadata={_KEY: declared})


setting = partial(option, config_only=True)
"""An :func:`option` that is ``config_only``."""


def also(cls: Any, name: str) -> Any:
    """A dataclass field that is the option ``name`` of ``cls``, too: one option that fills both."""
    [each] = [each for each in fields(cls) if each.name == name]
    return field(default=each.default, metadata=each.metadata)


def option_of(each: Field[Any]) -> Option:
    """What the field ``each`` declares. Raises ``KeyError`` if it is no option."""
    declared: Option = each.metadata[_KEY]
    return declared


def options_of(*classes: Any) -> Mapping[str, Option]:
    """The options of dataclasses, by their fields' names."""
    return {each.name: option_of(each) for cls in classes for each in fields(cls) if _KEY in each.metadata}


def spelled(name: str, declared: Option | None) -> str:
    """The option of the field ``name`` as it is spelled on the command line: the longest of its flags."""
    flags = () if declared is None else declared.flags
    return max(flags, key=len, default="--" + name.replace("_", "-"))


def named(name: str, declared: Option) -> str:
    """The option of the field ``name`` as messages name it: a setting has no dashes."""
    return spelled(name, declared).removeprefix("--" if declared.config_only else "")


def check(options: Any) -> None:
    """Raises ``UsageError`` if a field of the dataclass ``options`` is out of its declared bounds or choices."""
    types = get_type_hints(type(options))
    for name, declared in options_of(type(options)).items():
        value, kind, flag = getattr(options, name), types[name], named(name, declared)
        if value is not None and get_origin(kind) is Literal and value not in get_args(kind):
            choices = ", ".join(map(str, get_args(kind)))
            raise UsageError(f"{flag} {value}: choose among {choices}")
        if isinstance(value, int | float) and not isinstance(value, bool):
            least = -math.inf if declared.least is None else declared.least
            most = math.inf if declared.most is None else declared.most
            fits = abs(value) < LARGEST  # false for NaN, too
            if not (fits and least <= value <= most):
                bounds = f"at least {least:g}" if fits else f"a number below {LARGEST}"
                bounds = bounds if most == math.inf else f"between {least:g} and {most:g}"
                raise UsageError(f"{flag} {str(value)[:40]}: must be {bounds}")
