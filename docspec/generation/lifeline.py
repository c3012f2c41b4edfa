"""A program that runs a command and ends it, with all of its processes, when standard input ends.

Standard input is a pipe that the run holds open: however the run ends, ``kill -9`` included, the pipe is closed, so
that no engine is left running. The program imports only the standard library.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

PATIENCE = 10.0
"""Seconds for the command to end by itself."""

END_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGHUP", "SIGTERM") if hasattr(signal, name)]
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def main(command: list[str]) -> int:
    """Runs ``command`` in a process group of its own; returns its exit code, or minus the signal that ended it."""
    for number in END_SIGNALS:  # only the end of the pipe ends the command
        signal.signal(number, signal.SIG_IGN)
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_restore_signals if os.name == "posix" else None,
    )
    threading.Thread(target=_watch, args=(process,), daemon=True).start()
    code = process.wait()
    _signal(process, KILL)  # processes that the command left running
    return code


def _restore_signals() -> None:
    """Restores the signals that the command would inherit as ignored."""
    for number in END_SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def _watch(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    _signal(process, signal.SIGTERM)
    if hasattr(signal, "SIGCONT"):
        _signal(process, signal.SIGCONT)  # a stopped process gets SIGTERM only when it continues
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        _signal(process, KILL)


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
