"""The network of PyMuPDF's layout model that looks at a page's picture (300 by 300 pixels), with the same outputs in
about a quarter of the processor time.

The network as it is distributed keeps ONNX Runtime from its faster kernels. :func:`rearranged` changes three things:

* ``PRelu`` with one slope for all channels is ``LeakyRelu``, which is computed within the convolution before it.
* ``Resize`` by ``pytorch_half_pixel`` is ``half_pixel``, the same for maps of more than one pixel, and is computed
  in the layout of the convolutions around it.
* The last step enlarges five maps of features to 300 by 300 pixels and joins them to 160 channels. The network returns
  the five maps, and OpenCV enlarges them, as a picture is enlarged.

The outputs differ by the rounding of float32 (below 1e-4 of values up to 14).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docspec.core.libraries import fixed_session
from docspec.core.onnx_graph import (
    ATTRIBUTE_NAME,
    ATTRIBUTE_STRING,
    GRAPH_INITIALIZER,
    GRAPH_NODE,
    GRAPH_OUTPUT,
    MODEL_GRAPH,
    NODE_ATTRIBUTE,
    NODE_INPUT,
    NODE_OPERATOR,
    NODE_OUTPUT,
    TENSOR_NAME,
    VALUE_NAME,
    Message,
    float_attribute,
    floats_of,
)

JOINED = "combined"  # the output of all maps
NETWORK = "feature_imf"  # how the names of the network's files begin


class PictureNetwork:
    """Stands for the ``InferenceSession`` of the file ``model`` as far as pymupdf-layout uses one.

    Its joined maps (1, channels, height, width) lie in one array, which the next run overwrites: pymupdf-layout keeps
    the outputs of one page at a time anyway. Raises ValueError where the file holds another network.
    """

    def __init__(self, model: Path) -> None:
        changed, self._maps = rearranged(model.read_bytes())
        self._session = fixed_session(changed, "batch_size")
        given = self._session.get_inputs()[0].shape
        shapes = {output.name: output.shape for output in self._session.get_outputs()}
        channels = sum(shapes[name][1] for name in self._maps)
        self._joined: NDArray[np.float32] = np.empty((1, channels, given[2], given[3]), np.float32)
        self._others = [name for name in shapes if name not in self._maps]

    def get_inputs(self) -> Any:
        return self._session.get_inputs()

    def get_outputs(self) -> Sequence[Any]:
        return [SimpleNamespace(name=name) for name in (JOINED, *self._others)]

    def run(self, names: Sequence[str], given: Mapping[str, Any]) -> list[Any]:
        """The outputs called ``names``."""
        import cv2

        wanted = [name for name in names if name != JOINED]
        found = self._session.run([*wanted, *self._maps], dict(given))
        outputs = dict(zip(wanted, found, strict=False))
        if JOINED in names:
            size = self._joined.shape[:1:-1]  # width, height
            planes = [plane for maps in found[len(wanted) :] for plane in maps[0]]
            for plane, place in zip(planes, self._joined[0], strict=True):
                cv2.resize(plane, size, dst=place, interpolation=cv2.INTER_LINEAR)
            outputs[JOINED] = self._joined
        return [outputs[name] for name in names]


def quick_sessions(usual: Callable[..., Any]) -> Callable[..., Any]:
    """pymupdf-layout's ``make_session``, ``usual``, with :class:`PictureNetwork` for the network that it knows."""

    def make(path: str, *given: Any, **settings: Any) -> Any:
        if Path(path).name.startswith(NETWORK):
            try:
                return PictureNetwork(Path(path))
            except ValueError:  # of another version
                pass
        return usual(path, *given, **settings)

    return make


def rearranged(model: bytes) -> tuple[bytes, list[str]]:
    """The network ``model`` (the bytes of an ONNX file) without the step that enlarges and joins the maps, and the
    names of the maps, in their order, which are outputs now. Raises ValueError where there is no such step."""
    whole = Message.parse(model)
    graph = Message.parse(next(whole.all(MODEL_GRAPH), b""))
    constants = {one.text(TENSOR_NAME): one for one in map(Message.parse, graph.all(GRAPH_INITIALIZER))}
    nodes = [Message.parse(node) for node in graph.all(GRAPH_NODE)]
    makers = {name: node for node in nodes for name in node.texts(NODE_OUTPUT)}
    join = makers.get(JOINED)
    if join is None or join.text(NODE_OPERATOR) != "Concat":
        raise ValueError(f"nothing joins the maps to {JOINED}")
    enlarged = [makers.get(name, Message()) for name in join.texts(NODE_INPUT)]
    if any(node.text(NODE_OPERATOR) != "Resize" for node in enlarged):
        raise ValueError("a map is not enlarged")
    maps = [node.text(NODE_INPUT) for node in enlarged]
    kept = [node for node in nodes if node is not join and not any(node is one for one in enlarged)]
    for node in kept:
        _make_quick(node, constants)
    outputs = [one for one in graph.all(GRAPH_OUTPUT) if Message.parse(one).text(VALUE_NAME) != JOINED]
    graph.put(GRAPH_NODE, *(node.data() for node in kept))
    graph.put(GRAPH_OUTPUT, *outputs, *(Message([(VALUE_NAME, 2, name.encode())]).data() for name in maps))
    whole.put(MODEL_GRAPH, graph.data())
    return whole.data(), maps


def _make_quick(node: Message, constants: Mapping[str, Message]) -> None:
    """Replaces the operators that keep ONNX Runtime from its faster kernels."""
    operator, given = node.text(NODE_OPERATOR), node.texts(NODE_INPUT)
    if operator == "PRelu" and given[1] in constants:
        slopes = floats_of(constants[given[1]])
        if len(slopes) == 1:
            node.put(NODE_INPUT, given[0].encode())
            node.put(NODE_OPERATOR, b"LeakyRelu")
            node.put(NODE_ATTRIBUTE, float_attribute("alpha", float(slopes[0])))
    elif operator == "Resize":
        attributes = [Message.parse(one) for one in node.all(NODE_ATTRIBUTE)]
        for one in attributes:
            if one.text(ATTRIBUTE_NAME) == "coordinate_transformation_mode":
                if one.text(ATTRIBUTE_STRING) != "pytorch_half_pixel":
                    raise ValueError("maps are enlarged in another way")
                one.put(ATTRIBUTE_STRING, b"half_pixel")
        node.put(NODE_ATTRIBUTE, *(one.data() for one in attributes))
