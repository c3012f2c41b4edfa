"""The header of a GGUF file: its metadata, without the tensors and without any library.

Source: llama.cpp's ``docs/gguf.md``, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from docspec.core import ModelError

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9

MOST_PAIRS = 65_536
MOST_CHARACTERS = 64 << 20
MOST_ITEMS = 16 << 20
"""Bounds on the sizes in a header, about a hundred times those of the largest vocabularies."""


@dataclass(frozen=True, slots=True)
class Header:
    """``metadata`` by key; an array is a list. ``size`` is the file's, in bytes."""

    path: Path
    metadata: Mapping[str, Any]
    size: int

    @property
    def architecture(self) -> str:
        """llama.cpp's name of the network; ``clip`` for picture towers."""
        return str(self.metadata.get("general.architecture", ""))

    @property
    def is_float32(self) -> bool:
        """Whether all weights are float32 (``general.file_type`` 0)."""
        return self.metadata.get("general.file_type") == 0

    def number(self, key: str, default: int = 0) -> int:
        """``ARCHITECTURE.key`` as a whole number; of one value per layer, the largest."""
        value = self.metadata.get(f"{self.architecture}.{key}", default)
        if isinstance(value, list):
            value = max(value, default=default)
        return int(value) if isinstance(value, (int, float)) else default


def read_header(path: Path) -> Header:
    """The header of ``path``. Raises :class:`docspec.core.ModelError` if it is no GGUF file or ends in its header."""
    try:
        with path.open("rb") as file:
            magic, version = struct.unpack("<4sI", _exactly(file, 8))
            if magic != b"GGUF":
                raise ModelError(f"{path} is no GGUF file")
            if version not in (2, 3):
                raise ModelError(f"{path}: GGUF version {version} is not known; convert the model again")
            _, pairs = struct.unpack("<QQ", _exactly(file, 16))
            if pairs > MOST_PAIRS:
                raise ModelError(f"{path}: its header claims {pairs} entries; fetch the file again")
            found = {_string(file): _value(file, *struct.unpack("<I", _exactly(file, 4))) for _ in range(pairs)}
        return Header(path, found, path.stat().st_size)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, struct.error, RecursionError) as error:
        raise ModelError(f"{path} ends early or is damaged ({error}); fetch the file again") from error


def _exactly(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise ValueError("the header is not whole")
    return data


def _string(file: BinaryIO) -> str:
    (size,) = struct.unpack("<Q", _exactly(file, 8))
    if size > MOST_CHARACTERS:
        raise ValueError(f"a text of {size} bytes")
    return _exactly(file, size).decode("utf-8", "replace")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == STRING:
        return _string(file)
    if kind == ARRAY:
        of, size = struct.unpack("<IQ", _exactly(file, 12))
        if size > MOST_ITEMS:
            raise ValueError(f"a list of {size} values")
        if of in SCALARS:
            code = SCALARS[of]
            return list(struct.unpack(f"<{size}{code}", _exactly(file, size * struct.calcsize(f"<{code}"))))
        return [_value(file, of) for _ in range(size)]
    if kind not in SCALARS:
        raise ValueError(f"a value of unknown type {kind}")
    code = SCALARS[kind]
    return struct.unpack(f"<{code}", _exactly(file, struct.calcsize(f"<{code}")))[0]
