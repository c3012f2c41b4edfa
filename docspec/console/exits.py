"""Exit codes and their causes; documented in the README and kept stable.

Codes above 128 follow the shell's habit of 128 plus the number of the signal. This module imports nothing slow: a
Ctrl-C is answered in one line from the first moment on.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from importlib.machinery import ExtensionFileLoader
from types import FrameType

OK = 0
FATAL = 1
USAGE = 2
PARTIAL = 3
PIPE_CLOSED = 128 + 13
INTERRUPTED = 128 + 2

RETRY_SECONDS = 0.05
"""Seconds after which a signal that came while native code was loaded is sent again."""
_LOADING = (ExtensionFileLoader.create_module.__code__, ExtensionFileLoader.exec_module.__code__)


class Interrupted(KeyboardInterrupt):
    """A request to stop that came as a signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


class _StopSignal:
    """The signal that asked the process to stop, and whether it has to wait."""

    number: int | None = None
    held = False


_DEFAULTS = {"SIGINT": signal.default_int_handler, "SIGTERM": signal.SIG_DFL, "SIGHUP": signal.SIG_DFL}


def stop_on_signals() -> None:
    """Makes ``SIGTERM`` and ``SIGHUP`` unwind like Ctrl-C, so that no temporary file stays behind and every run leaves
    its report. A signal that is ignored stays so.
    """
    _StopSignal.number, _StopSignal.held = None, False
    sys.unraisablehook = _unless_interrupted
    for name, default in _DEFAULTS.items():
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) in (default, _stop):
            signal.signal(number, _stop)


def _unless_interrupted(fault: sys.UnraisableHookArgs) -> None:
    """Remembers an interrupt that cannot be raised, and does not print it."""
    if not issubclass(fault.exc_type, Interrupted):
        sys.__unraisablehook__(fault)


def die_of_signals() -> None:
    """Has signals end the process at once from now on: no cleaning up remains."""
    for name in _DEFAULTS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == _stop:
            signal.signal(number, signal.SIG_DFL)


def _stop(number: int, frame: FrameType | None) -> None:
    _StopSignal.number = _StopSignal.number or number
    if _StopSignal.held:
        return
    if _is_loading_native_code(frame):
        again = threading.Timer(RETRY_SECONDS, _send_to_main_thread, (number,))
        again.daemon = True
        again.start()
        return
    raise Interrupted(_StopSignal.number)


def _is_loading_native_code(frame: FrameType | None) -> bool:
    """Whether an extension module, or torch as a whole, is being imported: their C++ calls Python, and ends the process
    (``abort``) where that raises."""
    while frame is not None:
        is_torch = frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "torch"
        if is_torch or frame.f_code in _LOADING:
            return True
        frame = frame.f_back
    return False


def _send_to_main_thread(number: int) -> None:
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:  # Windows
        signal.raise_signal(number)


def asked_to_stop() -> Interrupted | None:
    """The interrupt that a signal asked for, also if a library swallowed it or turned it into another error."""
    return None if _StopSignal.number is None else Interrupted(_StopSignal.number)


def stop_if_asked() -> None:
    """Raises :class:`Interrupted` if a signal came and was swallowed."""
    interrupt = asked_to_stop()
    if interrupt is not None:
        raise interrupt


@contextlib.contextmanager
def held(hold: bool = True) -> Iterator[None]:
    """Delays signals within the block, while a run writes its report; without ``hold`` lets them through."""
    before, _StopSignal.held = _StopSignal.held, hold
    try:
        yield
    finally:
        _StopSignal.held = before


@contextlib.contextmanager
def answered() -> Iterator[None]:
    """Lets signals through within the block, also within :func:`held`, as for slow network access."""
    with held(False):
        stop_if_asked()
        yield


def code_of(error: BaseException) -> int:
    """The exit code of a run that ended with this error."""
    from docspec.core import UsageError

    if isinstance(error, KeyboardInterrupt):
        return getattr(error, "exit_code", INTERRUPTED)
    if isinstance(error, BrokenPipeError):
        return PIPE_CLOSED
    return USAGE if isinstance(error, UsageError) else FATAL


def code_of_run(written: int, incomplete: int, failed: int) -> int:
    """The exit code of a run that went to its end: ``written`` documents, of which ``incomplete`` ones have pages that
    failed or are damaged, and ``failed`` ones.
    """
    if failed and not written:
        return FATAL
    return PARTIAL if failed or incomplete else OK
