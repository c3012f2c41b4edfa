"""The kernels are translated to machine code of the H200 (and of a card of 2020) by Triton, which needs no GPU for
it. What they compute there is not tried by that."""

from __future__ import annotations

from inspect import signature

import pytest

triton = pytest.importorskip("triton")
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

from docspec.targets import kernels  # noqa: E402

KERNELS = {
    "gate": (kernels.gate_up, ("gate", "up", "output"), {"BLOCK": 1024}),
    "norm": (kernels.normalise, ("values", "residual", "weight", "summed", "output"), {"WIDTH": 128, "ADDS": False}),
    "norm of a sum": (
        kernels.normalise,
        ("values", "residual", "weight", "summed", "output"),
        {"WIDTH": 2048, "ADDS": True},
    ),
    "rotation": (
        kernels.rotate,
        ("query", "key", "value", "cos", "sin", "turned_query", "turned_key", "keys", "values", "slots"),
        {"WIDTH": 64, "WIDE": False, "WRITES": False},
    ),
    "rotation that writes": (
        kernels.rotate,
        ("query", "key", "value", "cos", "sin", "turned_query", "turned_key", "keys", "values"),
        {"WIDTH": 64, "WIDE": True, "WRITES": True},
    ),
}
OTHERS = {"slots": "*i64", "eps": "fp32"}
"""Types of what is neither a tensor of the model's numbers nor a whole number."""


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("numbers", "card"), [("*bf16", 90), ("*fp16", 80), ("*fp32", 90)])
def test_it_is_translated_for_a_card(name: str, numbers: str, card: int) -> None:
    kernel, tensors, constants = KERNELS[name]
    types = OTHERS | dict.fromkeys(tensors, numbers) | dict.fromkeys(constants, "constexpr")
    told = {one: types.get(one, "i32") for one in signature(kernel.fn).parameters}
    made = triton.compile(ASTSource(kernel, told, constants), target=GPUTarget("cuda", card, 32))
    assert made.asm["cubin"]
