"""What is let go of at the end of a ``with``."""

from __future__ import annotations

from typing import Self


class Closing:
    """Calls ``close`` at the end of a ``with`` that is begun by itself."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
