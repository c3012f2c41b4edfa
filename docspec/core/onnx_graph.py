"""Graphs of ONNX files as lists of fields, to be changed and written again without the package ``onnx``.

An ONNX file is a message of protocol buffers: a sequence of fields, each a number, a wire type and a value. Only the
fields that a change of a graph needs have names here; all others are kept as they are.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # wire types
MODEL_GRAPH = 7
GRAPH_NODE, GRAPH_INITIALIZER, GRAPH_OUTPUT, GRAPH_SHAPES = 1, 5, 12, 13
NODE_INPUT, NODE_OUTPUT, NODE_OPERATOR, NODE_ATTRIBUTE = 1, 2, 4, 5
ATTRIBUTE_NAME, ATTRIBUTE_FLOAT, ATTRIBUTE_STRING, ATTRIBUTE_TYPE = 1, 2, 4, 20
TENSOR_NAME, TENSOR_FLOATS, TENSOR_RAW = 8, 4, 9
VALUE_NAME = 1
IS_FLOAT = 1  # of an attribute's type


@dataclass
class Message:
    """The fields (number, wire type, value) of a message in their order; a value is an int where the wire type is
    ``VARINT``, and bytes otherwise."""

    fields: list[tuple[int, int, int | bytes]] = field(default_factory=list)

    @classmethod
    def parse(cls, data: bytes) -> Message:
        """Raises ValueError where ``data`` is no message."""
        found, at = cls(), 0
        try:
            while at < len(data):
                key, at = _varint(data, at)
                number, wire = key >> 3, key & 7
                if wire == VARINT:
                    value, at = _varint(data, at)
                    found.fields.append((number, wire, value))
                    continue
                if wire == BYTES:
                    size, at = _varint(data, at)
                elif wire in (FIXED32, FIXED64):
                    size = 4 if wire == FIXED32 else 8
                else:
                    raise ValueError(f"wire type {wire}")
                if at + size > len(data):
                    raise ValueError("a field is longer than its message")
                found.fields.append((number, wire, data[at : at + size]))
                at += size
        except IndexError as error:
            raise ValueError("a field ends too early") from error
        return found

    def data(self) -> bytes:
        parts = []
        for number, wire, value in self.fields:
            parts.append(_as_varint(number << 3 | wire))
            if isinstance(value, int):
                parts.append(_as_varint(value))
            else:
                parts.extend([_as_varint(len(value)), value] if wire == BYTES else [value])
        return b"".join(parts)

    def all(self, number: int) -> Iterator[bytes]:
        """The values of the fields with this number that are bytes."""
        return (value for one, _, value in self.fields if one == number and isinstance(value, bytes))

    def texts(self, number: int) -> list[str]:
        return [value.decode() for value in self.all(number)]

    def text(self, number: int) -> str:
        """The text of the first field with this number, empty if there is none."""
        return next(iter(self.texts(number)), "")

    def put(self, number: int, *values: bytes) -> None:
        """Replaces the fields with this number by ``values``."""
        self.fields = [one for one in self.fields if one[0] != number]
        self.fields += [(number, BYTES, value) for value in values]


def float_attribute(name: str, value: float) -> bytes:
    """An attribute of a node."""
    return Message(
        [
            (ATTRIBUTE_NAME, BYTES, name.encode()),
            (ATTRIBUTE_FLOAT, FIXED32, struct.pack("<f", value)),
            (ATTRIBUTE_TYPE, VARINT, IS_FLOAT),
        ]
    ).data()


def floats_of(tensor: Message) -> NDArray[np.float32]:
    """The values of a tensor of float32, flat."""
    return np.frombuffer(b"".join([*tensor.all(TENSOR_RAW), *tensor.all(TENSOR_FLOATS)]), "<f4")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _as_varint(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)
