"""The simulated device notices what it is there for: otherwise the other tests of this folder prove nothing."""

from __future__ import annotations

import pytest
import torch

HERE = torch.device("cpu")


def test_operations_give_what_the_cpu_gives():
    here, there = (torch.arange(12.0, device=device).view(3, 4) for device in ("cpu", "openreg:1"))
    for made in (
        lambda x: x @ x.T,
        lambda x: x.softmax(-1).topk(2, -1).indices,
        lambda x: x[:, 1:].transpose(0, 1).contiguous().cumsum(0),
        lambda x: x.index_select(1, torch.tensor([3, 0], device=x.device)),
        lambda x: torch.cat((x, x.clone().mul_(2)), 1)[:, ::2],
    ):
        found = made(there)
        assert found.device == torch.device("openreg:1")
        assert torch.equal(found.cpu(), made(here))


def test_fresh_memory_is_poison():
    assert torch.empty(8, device="openreg").isnan().all()


@pytest.mark.parametrize(
    "mixed",
    [
        lambda here, there: there + here,
        lambda here, there: there.index_select(0, torch.tensor([0])),
        lambda here, there: torch.cat((there, here)),
        lambda here, there: there + there.to("openreg:1"),
    ],
)
def test_tensors_of_several_devices_are_an_error(mixed):
    with pytest.raises(RuntimeError, match="same device"):
        mixed(torch.ones(2), torch.ones(2, device="openreg:0"))


def test_what_waits_is_counted_with_its_line(device):
    values = torch.ones(3, device="openreg")
    for action, kind in (
        (lambda: values.tolist(), "blocking download"),
        (lambda: values[0].item(), "item"),
        (lambda: values.nonzero(), "wait"),
        (lambda: values[values > 0], "wait"),
        (lambda: values[torch.tensor([0])], "blocking upload"),
        (lambda: torch.get_device_module(values.device).synchronize(), "synchronize"),
        (lambda: torch.zeros(3).pin_memory().to("openreg", non_blocking=True), "upload"),
        (lambda: torch.zeros(3).to("openreg", non_blocking=True), "blocking upload"),
        (lambda: (values + 1).sum().relu(), None),
    ):
        with device.counted() as seen:
            action()
        assert set(seen) == ({kind} if kind else set())


def test_a_copy_that_nobody_waited_for_has_not_arrived(device):
    there = torch.full((4,), 2.0, device="openreg")
    here = torch.zeros(4, pin_memory=True)
    here.copy_(there, non_blocking=True)
    assert here.isnan().all()
    torch.get_device_module(there.device).synchronize()
    assert here.eq(2).all()


def test_a_source_that_is_changed_before_it_is_read_is_told(device):
    source = torch.zeros(4, pin_memory=True)
    source.to("openreg", non_blocking=True)
    source.fill_(1)
    torch.get_device_module("openreg").synchronize()
    assert device.EVENTS.pop("overwritten upload") == 1


def captured(device, computation):
    module = torch.get_device_module("openreg")
    graph, side = module.CUDAGraph(), module.Stream()
    with module.stream(side):
        graph.capture_begin(pool=module.graph_pool_handle())
        try:
            computation()
        finally:
            graph.capture_end()
    return graph


def test_a_graph_runs_over_its_addresses_and_not_over_python(device):
    given, made = torch.ones(2, device="openreg"), torch.zeros(2, device="openreg")
    factor = 2
    graph = captured(device, lambda: made.copy_(given * factor))
    factor = 3
    given.fill_(5)
    graph.replay()
    assert made.tolist() == [10, 10]


def test_a_capture_that_waits_fails_and_leaves_its_pool_behind(device):
    values = torch.ones(2, device="openreg")
    with pytest.raises(RuntimeError, match="previous error during capture"):
        captured(device, lambda: values.sum().item())
    with pytest.raises(RuntimeError, match="INTERNAL ASSERT"):
        torch.get_device_module("openreg").empty_cache()
    [pool] = device._capturing_to
    torch._C._openreg_endAllocateToPool(0, pool)
    torch.get_device_module("openreg").empty_cache()


def test_memory_runs_out_and_devices_are_lost_when_they_are_told_to(device):
    with device.out_of_memory_after(1) as found:
        torch.empty(3, device="openreg")
        with pytest.raises(torch.OutOfMemoryError):
            torch.empty(3, device="openreg")
        torch.empty(3, device="openreg")
    assert found.happened
    values = torch.ones(2, device="openreg")
    with device.lost_after(1):
        values + 1
        for _ in range(2):
            with pytest.raises(RuntimeError, match="illegal memory access"):
                values + 1
    assert (values + 1).tolist() == [2, 2]
