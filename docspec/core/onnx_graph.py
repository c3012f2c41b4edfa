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
TENSOR_TYPE, TENSOR_FLOATS, TENSOR_NAME, TENSOR_RAW = 2, 4, 8, 9
VALUE_NAME = 1
IS_FLOAT = 1  # of the type of an attribute or a tensor

WEIGHTED = frozenset({"Conv", "ConvTranspose", "Gemm", "MatMul"})
"""Operators whose second input is their weights."""
NEGLIGIBLE = 1e-30
"""The amount of a weight below which its product is lost in any sum with others. Denormal numbers begin at 1.2e-38;
the factors that ONNX Runtime multiplies into weights would make some of those between denormal again."""
MANY = 1000
"""Weights so small that are worth the time to write the model anew."""
AMOUNT = np.uint32(0x7FFFFFFF)
SMALL = np.float32(NEGLIGIBLE).view(np.uint32)  # the bits of positive floats are in the order of their values

Data = bytes | memoryview


@dataclass
class Message:
    """The fields (number, wire type, value) of a message in their order; a value is an int where the wire type is
    ``VARINT``, and bytes, or a view of those of the file, otherwise."""

    fields: list[tuple[int, int, int | Data]] = field(default_factory=list)

    @classmethod
    def parse(cls, data: Data) -> Message:
        """Raises ValueError where ``data`` is no message."""
        found, at = cls(), 0
        data = memoryview(data)
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
        parts: list[Data] = []
        for number, wire, value in self.fields:
            parts.append(_as_varint(number << 3 | wire))
            if isinstance(value, int):
                parts.append(_as_varint(value))
            else:
                parts.extend([_as_varint(len(value)), value] if wire == BYTES else [value])
        return b"".join(parts)

    def all(self, number: int) -> Iterator[Data]:
        """The values of the fields with this number that are bytes."""
        return (value for one, _, value in self.fields if one == number and not isinstance(value, int))

    def texts(self, number: int) -> list[str]:
        return [bytes(value).decode() for value in self.all(number)]

    def text(self, number: int) -> str:
        """The text of the first field with this number, empty if there is none."""
        return next(iter(self.texts(number)), "")

    def value(self, number: int) -> int | None:
        """The integer of the first field with this number."""
        return next((value for one, _, value in self.fields if one == number and isinstance(value, int)), None)

    def put(self, number: int, *values: Data) -> None:
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


def without_denormals(model: bytes) -> bytes | None:
    """The file ``model`` with 0 for those weights of its convolutions and products whose amount is below
    :data:`NEGLIGIBLE`; ``None`` where it has few of them. Processors take a hundred times as long for a product of
    such a number (a denormal one) as for another: PP-OCRv6's detector spends 60 % of its time on them. Raises
    ValueError where ``model`` is no model."""
    whole = Message.parse(model)
    graph = Message.parse(next(whole.all(MODEL_GRAPH), b""))
    nodes = [Message.parse(node) for node in graph.all(GRAPH_NODE)]
    weights = {node.texts(NODE_INPUT)[1] for node in nodes if node.text(NODE_OPERATOR) in WEIGHTED}
    count = 0
    for at, (number, wire, value) in enumerate(graph.fields):
        if number != GRAPH_INITIALIZER or isinstance(value, int):
            continue
        tensor = Message.parse(value)
        if tensor.text(TENSOR_NAME) not in weights or tensor.value(TENSOR_TYPE) != IS_FLOAT:
            continue
        floats = floats_of(tensor)
        amounts = floats.view("<u4") & AMOUNT
        amounts -= 1  # 0 wraps around
        if small := int(np.count_nonzero(amounts < SMALL - 1)):
            tensor.put(TENSOR_FLOATS)  # none: they become raw ones
            tensor.put(TENSOR_RAW, np.where(amounts < SMALL - 1, 0, floats).astype("<f4").tobytes())
            graph.fields[at] = (number, wire, tensor.data())
            count += small
    if count < MANY:
        return None
    whole.put(MODEL_GRAPH, graph.data())
    return whole.data()


def floats_of(tensor: Message) -> NDArray[np.float32]:
    """The values of a tensor of float32, flat."""
    parts = [*tensor.all(TENSOR_RAW), *tensor.all(TENSOR_FLOATS)]
    return np.frombuffer(parts[0] if len(parts) == 1 else b"".join(parts), "<f4")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
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
