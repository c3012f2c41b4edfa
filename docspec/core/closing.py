"""Objects that are closed at the end of a ``with``."""

from __future__ import annotations

from typing import Self


class Closing:
    """A base class whose ``with`` blocks end with ``close``."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
