"""Cleans all text that leaves docspec, so that it neither controls a terminal nor breaks a file.

Models, text layers and file names may hold any character. Every writer of files and of standard output passes its text
through :func:`safe_text` (JSON through :func:`dump_json`, which cleans the values before they are escaped), every line
for people through :func:`one_line`. ``raw`` does not change that.

Keys and passwords that users give are checked at the start, and left out of everything that is shown or kept.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import Any

from docspec.core.errors import UsageError

REPLACEMENT = "\ufffd"

_UNSAFE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]|\r(?!\n)")
_JOINERS = "\u200c\u200d"  # parts of words and emoji, invisible but harmless


def safe_text(text: str) -> str:
    """``text`` with U+FFFD for control characters (C0, DEL, C1) and lone surrogates; it can be encoded in UTF-8.

    Tabs and line breaks stay, a lone carriage return becomes a line feed. U+2028 and bidirectional marks are text.
    """
    return _UNSAFE.sub(lambda match: "\n" if match[0] == "\r" else REPLACEMENT, text)


def well_formed(text: str) -> str:
    """``text`` with ``?`` for half a pair of surrogates, which no tokenizer takes."""
    return text.encode(errors="replace").decode()


def dump_json(value: Any, *, indent: int | None = None) -> str:
    """``value`` as JSON in which every string, keys included, is a :func:`safe_text`. U+2028 and U+2029 are escaped, so
    that a line of JSON is one line to every reader."""
    text = json.dumps(_safe(value), ensure_ascii=False, indent=indent)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def one_line(message: str) -> str:
    """``message`` on one line fit for a terminal or a log: also without line separators and bidirectional overrides.

    What is not printable becomes a space, a lone surrogate (a byte of a file name that is not UTF-8) U+FFFD.
    """
    return " ".join("".join(map(_printable, message)).split())


def first_line(error: BaseException) -> str:
    """The first line of the message of ``error``, or its type if it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _printable(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    return REPLACEMENT if "\ud800" <= char <= "\udfff" else " "


def _safe(value: Any) -> Any:
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, dict):
        return {_safe(key): _safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_safe(item) for item in value]
    return value


FLAGS = ("--password", "--server-key", "--upstream-key", "--api-key")
"""Options whose values are secret, ours and those of the servers that docspec starts."""

_USER = re.compile(r"(?<=://)[^\s/?#\"'<>\\]*@")
_VALUE = re.compile(rf"((?:{'|'.join(FLAGS)})[= ]+)(?!\.\.\.)[^\s\"']+")


def without_secrets(text: str) -> str:
    """``text`` without user names and passwords of addresses, and without values of options that are secret."""
    return _VALUE.sub(r"\1...", _USER.sub("", text))


def words_without_secrets(words: Sequence[str]) -> list[str]:
    """The ``words`` of a command line likewise."""
    kept: list[str] = []
    for before, word in zip(("", *words), words, strict=False):
        name, given, _ = word.partition("=")
        secret = f"{name}=..." if given and name in FLAGS else without_secrets(word)
        kept.append("..." if before in FLAGS else secret)
    return kept


def sound_keys(given: Sequence[str] | None) -> tuple[str, ...]:
    """The keys that ``--api-key`` or the variable ``DOCSPEC_API_KEY`` gives, each as :func:`sound_key` has it. Raises
    :class:`docspec.core.UsageError` for an empty one, too: whoever names a key does not want to let everybody in."""
    blank = [""] if os.environ.get("DOCSPEC_API_KEY", "-").strip() == "" else []
    keys = [sound_key(key, "--api-key") for key in given or blank]
    if None in keys:
        raise UsageError("--api-key: the key is empty; leave the option and DOCSPEC_API_KEY out where there is none")
    return tuple(key for key in keys if key is not None)


def sound_key(given: str | None, option: str) -> str | None:
    """The key that ``option`` gives, without white space around it; ``None`` for an empty one. Raises
    :class:`docspec.core.UsageError`, without the key, if HTTP could not send it."""
    key = (given or "").strip()
    for place, letter in enumerate(key, 1):
        if not "!" <= letter <= "~":
            raise UsageError(
                f"{option}: character {place} of the key is U+{ord(letter):04X}, which no key can hold; was it copied"
                " from a text with curly quotes, or with a line end in it?"
            )
    return key or None
