"""Keys and passwords that users give: checked at the start, and left out of everything that is shown or kept."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from docspec.core.errors import UsageError

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


def sound_keys(given: Sequence[str], option: str, variable: str) -> tuple[str, ...]:
    """The keys that ``option`` or the environment's ``variable`` gives, each as :func:`sound_key` has it. Raises
    :class:`docspec.core.UsageError` for an empty one, too: whoever names a key does not want to let everybody in."""
    blank = [""] if os.environ.get(variable, "-").strip() == "" else []
    keys = [sound_key(one, option) for one in given or blank]
    if None in keys:
        raise UsageError(f"{option}: the key is empty; leave the option and {variable} out where there is none")
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
