"""The command of a run: without secrets, to be written down, and with ``--retry-failed``, to be called again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

RETRY = "--retry-failed"
_SECRET = ("--password", "--server-key")
_ONCE = (RETRY, "--force")


def recorded(words: Sequence[str]) -> tuple[str, ...]:
    """``docspec`` and the words after it, without passwords and keys."""
    kept: list[str] = ["docspec"]
    for before, word in zip(("", *words), words, strict=False):
        name, given, _ = word.partition("=")
        if before in _SECRET:
            kept.append("...")
        else:
            kept.append(f"{name}=..." if given and name in _SECRET else word)
    return tuple(kept)


def to_retry(command: Sequence[str]) -> str:
    """``command`` with ``--retry-failed``, as a shell takes it."""
    return shlex.join([*(word for word in command if word not in _ONCE), RETRY])
