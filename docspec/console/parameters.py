"""Declared options (``docspec.core.options``) with their help as parameters of Typer commands.

A command asks for a whole dataclass of options in one parameter; Typer sees one command-line option a field. A field
that two dataclasses have by the same name is one option that fills both.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import Field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from rich.markup import escape

from docspec.console.completion import completing
from docspec.console.help_texts import HELP
from docspec.console.terminal import say_warning
from docspec.core.options import BOUNDS, RENAMED, flag_of

FORMER = "former_"
"""How the parameters of former flags begin."""


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
        hints_of = {name: _types_of(cls) for name, cls in groups.items()}
        taken: dict[str, list[str]] = {name: [] for name in groups}
        parameters: dict[str, inspect.Parameter] = {}
        for name, parameter in plain.items():
            if name not in groups:
                parameters[name] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name])
                continue
            for each in declared(groups[name]):
                if not offered or each.name in offered:
                    taken[name].append(each.name)
                    parameters[each.name] = _parameter(groups[name], each, defaults)
                    if each.name in RENAMED:
                        parameters[FORMER + each.name] = _former(groups[name], each)

        def run(**values: Any) -> int:
            for name in [name for name in values if name.startswith(FORMER)]:
                if (value := values.pop(name)) is not None:
                    flag, former = RENAMED[name.removeprefix(FORMER)]
                    say_warning(f"{former} is {flag} now; the former name goes with the next version")
                    values[name.removeprefix(FORMER)] = value
            given: dict[str, Any] = {}
            for name, cls in groups.items():
                given[name] = cls(**{key: _settled(values[key], hints_of[name][key]) for key in taken[name]})
            own = {key: value for key, value in values.items() if key in plain}
            return command(**own, **given)

        run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
        run.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
        run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
        return run

    return decorated


def declared(cls: Any) -> Sequence[Field[Any]]:
    """The fields of the dataclass ``cls``, all of which are options."""
    return fields(cls)


@cache
def _types_of(cls: type) -> dict[str, Any]:
    """The types of the fields of ``cls``: resolving them for each option anew took a third of the import."""
    return get_type_hints(cls)


def _parameter(cls: type, each: Field[Any], defaults: dict[str, Any]) -> inspect.Parameter:
    said, (least, most) = HELP[each.name], each.metadata.get(BOUNDS, (None, None))
    kind = _types_of(cls)[each.name]
    default = defaults.get(each.name, each.default)
    if get_origin(kind) is tuple:  # Typer's word for options that may be repeated
        kind, default = list[get_args(kind)[0]], list(default) or None  # type: ignore[misc]
    flags = said.flags or (flag_of(each.name),)  # named, so that a flag gets no --no- twin
    shown = typer.Option(
        *flags,
        metavar=said.metavar,
        min=least,
        max=most,
        rich_help_panel=said.group,
        show_default=default is not None and kind is not bool,
        help=escape(said.text),  # Typer reads help as markup, in which [ray] would be a style
        autocompletion=completing(each.name),
    )
    return inspect.Parameter(
        each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, shown]
    )


def _former(cls: type, each: Field[Any]) -> inspect.Parameter:
    """The flag that ``each`` had before, which no help page shows."""
    least, most = each.metadata.get(BOUNDS, (None, None))
    kind = _types_of(cls)[each.name]
    hidden = typer.Option(RENAMED[each.name][1], hidden=True, min=least, max=most)
    return inspect.Parameter(
        FORMER + each.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, hidden]
    )


def _settled(value: Any, kind: Any) -> Any:
    """``value`` as its field holds it: a list becomes a tuple."""
    return tuple(value or ()) if get_origin(kind) is tuple else value
