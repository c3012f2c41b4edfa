"""The orders in which requests wait, and that nothing is lost where they are given up while they do."""

from __future__ import annotations

import asyncio
import random

import pytest

from docspec.serve.admission import Admission
from docspec.serve.refusal import Refusal
from docspec.serve.settings import Limits
from docspec.serve.upstream import Upstreams


def test_requests_share_their_memory_and_each_client_has_its_part() -> None:
    async def run() -> None:
        admission = Admission(10, 100, 60, 0.05)
        with admission.enter("one") as first, admission.enter("one") as second, admission.enter("two") as third:
            await first.take(40)
            with pytest.raises(Refusal) as refused:  # beyond the client's part
                await second.take(30)
            assert refused.value.status == 503 and refused.value.retry_after
            await third.take(60)
            with pytest.raises(Refusal):  # beyond all
                await second.take(1)
            with pytest.raises(Refusal) as refused:
                await second.take(61)
            assert refused.value.status == 413 and admission.taken == 100
        assert admission.taken == 0 and admission.has_room("one", 60)

    asyncio.run(run())


def test_requests_that_all_hold_a_part_do_not_wait_for_each_other() -> None:
    async def run() -> list[int]:
        admission, done, most = Admission(99, 100, 100, 5.0, spare=60), [], 0

        async def one(number: int) -> None:
            nonlocal most
            with admission.enter(f"client {number % 3}") as holding:
                for _ in range(60):
                    await holding.take(1)
                    most = max(most, admission.taken)
                    await asyncio.sleep(0)
                done.append(number)

        await asyncio.gather(*(one(number) for number in range(12)))
        assert most <= 160 and admission.taken == 0
        return done

    assert sorted(asyncio.run(run())) == list(range(12))


def test_memory_is_not_lost_where_waiting_requests_are_given_up() -> None:
    async def run() -> None:
        draw, admission, here, most = random.Random(3), Admission(1000, 100, 100, 10.0), 0, 0

        async def one() -> None:
            nonlocal here, most
            size = draw.randint(1, 60)
            with admission.enter() as holding:
                await holding.take(size)
                here += size
                most = max(most, here)
                try:
                    await asyncio.sleep(draw.random() / 200)
                finally:
                    here -= size

        for _ in range(20):
            tasks = [asyncio.ensure_future(one()) for _ in range(40)]
            for task in draw.sample(tasks, 20):
                await asyncio.sleep(draw.random() / 500)
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert most <= 100 and admission.taken == 0 and admission.here == 0

    asyncio.run(run())


def test_beyond_the_most_a_request_is_refused_at_once() -> None:
    admission = Admission(1, 100, 100, 1.0)
    with admission.enter(), pytest.raises(Refusal) as refused, admission.enter():
        pass
    assert refused.value.status == 429 and refused.value.retry_after
    with admission.enter():
        pass


def test_no_turn_for_an_upstream_is_lost_where_requests_are_given_up() -> None:
    async def run() -> None:
        draw = random.Random(5)
        upstreams = Upstreams(("http://a", "http://b"), Limits(in_flight=3))
        done = 0

        async def one() -> None:
            nonlocal done
            async with upstreams.one():
                await asyncio.sleep(draw.random() / 200)
            done += 1

        for _ in range(20):
            tasks = [asyncio.ensure_future(one()) for _ in range(40)]
            for task in draw.sample(tasks, 20):
                await asyncio.sleep(draw.random() / 500)
                task.cancel()
            async with asyncio.timeout(10):
                await asyncio.gather(*tasks, return_exceptions=True)
        assert [one.busy for one in upstreams.all] == [0, 0] and upstreams.waiting == 0 and done >= 400
        await upstreams.close()

    asyncio.run(run())


def test_who_waits_for_an_upstream_gives_up_when_none_comes_back() -> None:
    async def run() -> None:
        upstreams = Upstreams(("http://127.0.0.1:9",), Limits(in_flight=1, patience_seconds=0.2))
        async with upstreams.one() as upstream:
            waiting = asyncio.ensure_future(upstreams._taken())
            await asyncio.sleep(0.01)
            upstreams.lost(upstream)
            with pytest.raises(Refusal) as refused:
                await waiting
        assert refused.value.status == 503 and refused.value.retry_after
        await upstreams.close()

    asyncio.run(run())
