"""Locks a folder, or a shard of it, for one run; the kernel holds the lock as long as the process lives."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from docspec.core import OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class FolderLock:
    """Held from the start until :meth:`release`, or until the process is gone, however it ended.

    Runs of several shards share the folder; each has a manifest file of its own. File systems without locks are used
    without one. Raises :class:`docspec.core.OutputError` where another run is at work.
    """

    def __init__(self, folder: Path, manifest: Path, shared: bool) -> None:
        self._handles: list[int] = []
        busy = OutputError(
            f"{manifest if shared else folder}: another run is writing here; wait for it to end"
            + ("" if shared else ", or split the work with --shard I/N")
        )
        try:
            if fcntl is not None:
                self._hold(os.open(folder, os.O_RDONLY), shared)
            self._hold(os.open(manifest, os.O_RDWR | os.O_CREAT, 0o666), shared=False)
        except BlockingIOError:
            self.release()
            raise busy from None
        except OSError as error:
            self.release()
            raise OutputError(f"{manifest}: cannot be written: {error.strerror or error}") from error

    def _hold(self, handle: int, shared: bool) -> None:
        self._handles.append(handle)
        try:
            if fcntl is not None:
                fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            else:
                _lock_far_byte(handle)
        except BlockingIOError:
            raise
        except OSError as error:
            if error.errno == errno.EACCES:
                raise BlockingIOError from error

    def release(self) -> None:
        for handle in self._handles:
            with contextlib.suppress(OSError):
                os.close(handle)
        self._handles.clear()


def _lock_far_byte(handle: int) -> None:
    """On Windows a lock forbids others to read what it covers: it is put where no manifest reaches."""
    import msvcrt

    os.lseek(handle, 2**31 - 2, os.SEEK_SET)
    msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
