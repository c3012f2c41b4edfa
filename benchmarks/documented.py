"""The commands that README and the documentation show, read from the pages themselves, and the code behind each.

``tests/documented`` holds that today's options take every one of them and runs their smallest forms;
``benchmarks.figures`` asks whether the code of a figure's command has changed since the figure was measured.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import inspect
import re
import runpy
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).parents[1]
METHODS = ROOT / "methods"
PAGES = (
    *("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md"),
    *(
        f"{folder}/README.md"
        for folder in ("benchmarks", "examples", "samples", "training", "integrations/*", "methods")
    ),
)
OURS = ("benchmarks", "docspec", "docspec_methods", "samples", "tests", "training")
ENDS = frozenset({";", "&", "&&", "|", "||", ">", ">>", "<", "(", ")"})


class NotTakenError(Exception):
    """Today's options do not take the command."""


@dataclass(frozen=True, slots=True)
class Documented:
    """A command as ``page`` shows it: ``words`` begin with ``docspec`` or with ``python -m MODULE``. One in running
    text (``is_mention``) may lack its arguments."""

    page: str
    words: tuple[str, ...]
    is_mention: bool

    @property
    def text(self) -> str:
        return shlex.join(self.words)


def documented() -> list[Documented]:
    """The commands of all pages, in their order."""
    files = [file for pattern in PAGES for file in sorted(ROOT.glob(pattern))]
    return [one for file in files for one in commands_of(file.read_text("utf-8"), file.relative_to(ROOT).as_posix())]


def commands_of(text: str, page: str = "") -> Iterator[Documented]:
    """The commands in code blocks of a shell and in code within the running text."""
    for block in re.findall(r"^ *```(?:sh|bash|console)\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            yield from (Documented(page, words, False) for words in _commands(line))
    for code in re.findall(
        r"(?<!`)`([^`]+)`(?!`)", re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    ):
        yield from (Documented(page, words, True) for words in _commands(code) if len(words) > 1)


def _commands(line: str) -> Iterator[tuple[str, ...]]:
    """The commands of ours in a line of a shell; of alternatives (``a|b``) the first, without brackets and ``...`` for
    further words."""
    line = re.sub(r"(?<=\w)\|[\w|]+", "", line)
    line = re.sub(r"\[(--[^]]+)\]", r"\1", line)
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    try:
        tokens = [*reader, ";"]
    except ValueError:  # running text with an apostrophe
        return
    words: list[str] = []
    for token in tokens:
        if token not in ENDS:
            if token != "..." or (words and words[-1].startswith("-")):
                words.append(token if token == "..." else token.removesuffix("..."))
            continue
        while words and (words[0] in ("$", "!", "if", "then") or re.fullmatch(r"[A-Z_]+=.*", words[0])):
            del words[0]
        if words:
            words[0] = words[0].removeprefix(".venv/bin/").replace("docspec-vlm", "docspec")
        if words[:2] == ["python", "-m"] and len(words) > 2 and words[2].partition(".")[0] in OURS:
            yield ("docspec", *words[3:]) if words[2] == "docspec" else tuple(words)
        elif words[:1] == ["docspec"]:
            yield tuple(words)
        words = []


def take(one: Documented) -> None:
    """Gives the command to its parser, which runs nothing. Raises :class:`NotTakenError` with what the parser says."""
    if (found := _resolved(one.words)) is not None:
        command, name, rest, parent = found
        if getattr(command, "commands", None) is not None or not one.is_mention or rest:
            _take_typer(command, name, rest, parent, one.is_mention)
        return
    _take_argparse(one)


def code_of(words: Sequence[str]) -> Path:
    """The file of the function, or of the module, that ``words`` run."""
    if (found := _resolved(words)) is not None and found[0].callback is not None:
        return Path(inspect.getfile(importlib.import_module(found[0].callback.__module__)))
    return _file_of_module(words[2]) if words[0] == "python" else ROOT / "docspec/cli/app.py"


def _resolved(words: Sequence[str]) -> tuple[Any, str, list[str], Any] | None:
    """The Typer command of ``words``, its name, the words after it and its parent's context; ``None``: it has none."""
    if words[0] == "docspec":
        from docspec.cli.app import app, with_verb

        rest = with_verb(list(words[1:]))
        if len(words) > 1 and rest == list(words[1:]) and words[1] not in ("parse",) and "." in words[1]:
            rest.insert(0, "parse")  # a file that is not here
    elif words[2] == "benchmarks":
        from benchmarks.cli import app

        rest = list(words[3:])
    else:
        return None
    command, name, context = _command_of(app), " ".join(words[: 1 if words[0] == "docspec" else 3]), None
    while hasattr(command, "get_command") and rest and not rest[0].startswith("-"):
        context = command.context_class(command, info_name=name, parent=context)
        name = rest.pop(0)
        command = command.get_command(context, name)
        if command is None:
            raise NotTakenError(f"there is no command {name}")
    return command, name, rest, context


@cache
def _command_of(app: Any) -> Any:
    import typer.main

    return typer.main.get_command(app)


def _take_typer(command: Any, name: str, rest: list[str], parent: Any, is_mention: bool) -> None:
    from typer.exceptions import TyperException

    from docspec.core import DocspecError

    if {"--help", "--version"} & set(rest) or (not rest and hasattr(command, "get_command")):
        return
    try:
        command.make_context(name, rest, parent=parent)
    except (TyperException, DocspecError) as error:
        message = error.format_message() if isinstance(error, TyperException) else str(error)
        if not (is_mention and message.startswith("Missing argument")):
            raise NotTakenError(message) from error


class _Taken(BaseException):
    pass


def _take_argparse(one: Documented) -> None:
    """Starts the module, whose parser then ends it. A module that reads ``sys.argv`` itself is only looked for."""
    module, said = one.words[2], []
    file = _file_of_module(module)
    source = file.read_text("utf-8")
    if "parse_args" not in source:
        if "typer" in source and not one.is_mention:
            home = METHODS if file.is_relative_to(METHODS) else ROOT
            loaded = importlib.import_module(".".join(file.relative_to(home).with_suffix("").parts))
            _take_typer(_command_of(loaded.app), module, list(one.words[3:]), None, False)
        return
    parse = argparse.ArgumentParser.parse_args

    def taken(parser: Any, args: Any = None, namespace: Any = None) -> Any:
        parse(parser, args, namespace)
        raise _Taken

    def error(parser: Any, message: str) -> Any:
        said.append(message)
        raise _Taken

    changed: dict[str, Any] = {"parse_args": taken, "error": error}
    with (
        mock.patch.multiple(argparse.ArgumentParser, **changed),
        mock.patch.object(sys, "argv", [module, *one.words[3:]]),
        contextlib.suppress(_Taken),
    ):
        runpy.run_module(module, run_name="__main__", alter_sys=False)
    if said and not (one.is_mention and re.search("required: [^-]*$", said[0])):
        raise NotTakenError(said[0])


def _file_of_module(name: str) -> Path:
    """Raises :class:`NotTakenError` where there is no such module."""
    for path in (ROOT.joinpath(*name.split(".")), METHODS.joinpath(*name.split("."))):
        for file in (path / "__main__.py", path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file
    raise NotTakenError(f"there is no module {name}")


def imports_of(file: Path) -> set[Path]:
    """``file`` and every file of the repository that it imports, in functions too, directly or by others."""
    found, waiting = set(), [file]
    while waiting:
        if (one := waiting.pop()) not in found:
            found.add(one)
            waiting += _imported(one)
    return found


@cache
def _imported(file: Path) -> tuple[Path, ...]:
    named: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    paths = [ROOT.joinpath(*name.split(".")) for name in named if name.partition(".")[0] in OURS]
    return tuple(each for path in paths for each in (path.with_suffix(".py"), path / "__init__.py") if each.is_file())
