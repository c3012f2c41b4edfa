"""A plug-in of pytest for ``make coverage``: docspec kills the children in which pages are opened and drafted, so they
would never write down which lines they ran. Here each is let go by itself, within ``SECONDS``, and killed only then."""

from __future__ import annotations

import contextlib
import subprocess
import weakref
from typing import Any

import pytest

SECONDS = 3.0


def pytest_configure(config: pytest.Config) -> None:
    """Not imported before, so that coverage sees all lines of it."""
    from docspec.isolation import child

    end, start, config.children = child._end, child.Child.__init__, weakref.WeakSet()  # type: ignore[attr-defined]

    def let_go(process: subprocess.Popen[bytes], *others: Any) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            process.stdin.close()  # an idle child ends at the end of its requests
            process.wait(SECONDS)
        end(process, *others)

    def watched(self: child.Child, *arguments: Any, **keywords: Any) -> None:
        config.children.add(self)  # type: ignore[attr-defined]
        start(self, *arguments, **keywords)

    child._end, child.Child.__init__ = let_go, watched  # type: ignore[method-assign]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Those that wait for another test have to write before the data of all processes is put together."""
    for child in list(session.config.children):  # type: ignore[attr-defined]
        child.kill()
