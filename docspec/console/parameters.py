"""Declared options (:mod:`docspec.core.option`) as parameters of Typer commands.

A command asks for a whole dataclass of options in one parameter; Typer sees one command-line option a field. A field
that two dataclasses have by the same name is one option that fills both.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable
from dataclasses import Field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from rich.markup import escape
from typer.core import TyperCommand

from docspec.console.log import LOG
from docspec.core.option import option_of, spelled

SETTINGS = "Settings of the config file: NAME = VALUE there, or --set NAME=VALUE here"
"""The panel of the options that are no words of the command line."""


class SettingsCommand(TyperCommand):
    """Its options in the panel :data:`SETTINGS` come last and have no dashes: they are set by ``--set``."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.params.sort(key=_is_setting)
        self.settings = {one.opts[0]: one for one in self.params if _is_setting(one)}
        for flag, one in self.settings.items():
            vars(one).update(opts=[flag.removeprefix("--")], add_to_parser=lambda *_: None)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._with_settings(args))

    def _with_settings(self, args: list[str]) -> list[str]:
        """``args`` with ``--set`` in place of flags that were options once: scripts go on, and are told."""
        rest: list[str] = []
        given: dict[str, list[str]] = {}
        words = iter(args)
        for word in words:
            flag, sign, value = word.partition("=")
            one = self.settings.get(flag)
            if word == "--":
                rest += [word, *words]
            elif one is None:
                rest.append(word)
            else:
                given.setdefault(flag, []).append(
                    "true" if getattr(one, "is_flag", False) else value if sign else next(words, "")
                )
        for flag, values in given.items():
            one, name = self.settings[flag], flag.removeprefix("--")
            LOG.warning(f"{flag} is a setting of the config file now: write {name} = ... in it, or --set {name}=VALUE")
            value = json.dumps(values, ensure_ascii=False) if one.multiple else values[-1]
            rest[:0] = ["--set", f"{name}={value}"]
        return rest


def _is_setting(parameter: Any) -> bool:
    return getattr(parameter, "rich_help_panel", None) == SETTINGS


def takes_options(*names: str, **defaults: Any) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Decorator of a command: parameters that are dataclasses of declared options are filled from the command line.

    ``names`` and the keys of ``defaults`` are the offered fields, all if none is named; ``defaults`` replace the
    fields' own.
    """
    offered = {*names, *defaults}

    def decorated(command: Callable[..., int]) -> Callable[..., int]:
        hints = get_type_hints(command, include_extras=True)
        plain = inspect.signature(command).parameters
        groups = {name: hints[name] for name in plain if is_dataclass(hints[name])}
        taken = {
            name: [each for each in fields(cls) if not offered or each.name in offered] for name, cls in groups.items()
        }
        parameters: dict[str, inspect.Parameter] = {}
        for name, parameter in plain.items():
            if name not in groups:
                parameters[name] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
                continue
            for each in taken[name]:
                parameters[each.name] = _parameter(groups[name], each, defaults, each.name in offered)

        def run(**values: Any) -> int:
            given = {key: value for key, value in values.items() if key in plain}
            for group, cls in groups.items():
                given[group] = cls(**{each.name: _as_field(cls, each, values[each.name]) for each in taken[group]})
            return command(**given)

        run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
        run.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
        run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
        return run

    return decorated


@cache
def _types_of(cls: type) -> dict[str, Any]:
    """The types of the fields of ``cls``: resolving them for each option anew took a third of the import."""
    return get_type_hints(cls)


def _parameter(cls: type, each: Field[Any], defaults: dict[str, Any], is_named: bool) -> inspect.Parameter:
    declared = option_of(each)
    kind = _types_of(cls)[each.name]
    default = defaults.get(each.name, each.default)
    if get_origin(kind) is tuple:  # Typer's word for options that may be repeated
        kind, default = list[get_args(kind)[0]], list(default) or None  # type: ignore[misc]
    flags = declared.flags or (spelled(each.name, declared),)  # named, so that a flag gets no --no- twin
    shown = typer.Option(
        *flags,
        metavar=declared.metavar,
        min=declared.least,
        max=declared.most,
        rich_help_panel=SETTINGS if declared.config_only and not is_named else declared.group,
        show_default=default is not None and kind is not bool,
        help=escape(declared.help),  # Typer reads help as markup, in which [ray] would be a style
        autocompletion=completing(each.name),
    )
    return inspect.Parameter(
        each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown]
    )


def _as_field(cls: type, each: Field[Any], value: Any) -> Any:
    """``value`` as the field ``each`` of ``cls`` holds it: a list becomes a tuple."""
    return tuple(value or ()) if get_origin(_types_of(cls)[each.name]) is tuple else value


def _models() -> Iterable[str]:
    from docspec.models.known import entries

    return ["auto", *(entry.name for entry in entries())]


def _proposers() -> Iterable[str]:
    from docspec.core.plugins import plugins
    from docspec.proposing.registry import SKIPPING, proposers

    return ["cursor", "window", *proposers, *(f"cursor+{name}" for name in plugins("proposers") if name != SKIPPING)]


def _families() -> Iterable[str]:
    from docspec.targets.families import families

    return families()


def _languages() -> Iterable[str]:
    from docspec.core.languages import LANGUAGES

    return ["auto", *(spelling for language in LANGUAGES for spelling in (language.code, language.name.lower()))]


NAMES: dict[str, Callable[[], Iterable[str]]] = {
    "model": _models,
    "align": _proposers,
    "family": _families,
    "language": _languages,
}
"""What shells complete a value with, by the option's field. Choices complete themselves."""


def completing(field: str) -> Callable[[str], list[str]] | None:
    """Typer's callback for the names of ``field`` that begin with the typed text; ``None`` without known names."""
    if field not in NAMES:
        return None

    def matching(incomplete: str) -> list[str]:
        return [name for name in dict.fromkeys(NAMES[field]()) if name.lower().startswith(incomplete.lower())]

    return matching
