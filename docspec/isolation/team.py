"""Several verifying processes, one per device, each with the model loaded once: pages go to any free one.

A process that dies is replaced, and its pages are verified once more, each alone: a page that ends the second process
too has failed. If a process cannot be replaced (its device is gone), the others do its work.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from docspec.core import DocspecError, Failure, ModelError, PageResult, ParseOptions
from docspec.drafting.drafted_page import DraftedPage
from docspec.isolation.child import Child, WorkerLost
from docspec.isolation.verifying import VerifierMaker, VerifyingWorker
from docspec.lookahead import lookahead

LOADS = 2
"""Attempts to load the model before a device is given up."""


class Member:
    """A process on ``device``. ``sharing`` processes, itself included, share the machine's processors."""

    def __init__(self, make: VerifierMaker, options: ParseOptions, device: str, sharing: int) -> None:
        self.device = device
        quiet = logging.root.manager.disable >= logging.WARNING
        self._load = make, replace(options, device=device), sharing, quiet
        self._child: Child | None = None
        self.is_closed = False

    def load(self) -> Any:
        """Loads the model and returns its description. Raises :class:`docspec.core.ModelError`, and
        :class:`WorkerLost` if the process dies."""
        if self.is_closed:
            raise WorkerLost("was given up", Failure.CRASHED)
        self.end()
        self._child = Child(VerifyingWorker)
        return self._child.call("load", *self._load)

    def verify(self, pages: Sequence[DraftedPage]) -> tuple[list[PageResult], Any]:
        """The results of ``pages``, and how steps are run. Raises :class:`WorkerLost` if the process dies or its device
        is lost."""
        assert self._child is not None
        try:
            answers, steps = self._child.call("verify", pages)
        except WorkerLost:
            self.end()
            raise
        results = [
            replace(result, image=one.page.image) if has_image else result
            for one, (result, has_image) in zip(pages, answers, strict=True)
        ]
        for result in results:
            if result.failure is Failure.DEVICE_LOST:
                self.end()
                raise WorkerLost(result.error or "device lost", Failure.DEVICE_LOST)
        return results, steps

    @property
    def is_running(self) -> bool:
        """Whether its process runs."""
        return self._child is not None and self._child.is_running

    def end(self) -> None:
        """Ends the process; the next pages get another one."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    def close(self) -> None:
        """Ends the process for good, whatever it is doing."""
        self.is_closed = True
        self.end()


class Team:
    """Verifies pages in processes on ``devices``, of which one may be named several times; ``make`` makes the verifier
    in each. ``info`` describes the model, ``lost`` are the errors of devices given up at the start, ``steps`` says how
    steps were last run. Raises :class:`docspec.core.ModelError` if no device can load the model."""

    def __init__(self, options: ParseOptions, devices: Sequence[str], make: VerifierMaker) -> None:
        on_cpu = devices.count("cpu")
        self.members = [Member(make, options, each, on_cpu if each == "cpu" else 1) for each in devices]
        self.steps: Any = None
        self._free: queue.SimpleQueue[Member | None] = queue.SimpleQueue()
        try:
            # In parallel on different devices, in turn on one, so that the next process sees how much memory is left.
            device = attrgetter("device")
            by_device = [list(found) for _, found in groupby(sorted(self.members, key=device), device)]
            loads = lookahead(iter(by_device), [_load_all] * len(by_device), len(by_device))
            infos = [info for found in loads for info in found]
            lost = [found for found in infos if isinstance(found, ModelError)]
            if len(lost) == len(infos):
                raise lost[0]
            self.lost = tuple(map(str, lost))
            info = next(found for found in infos if not isinstance(found, ModelError))
            self.info = replace(info, device=", ".join(each.device for each in self.members if not each.is_closed))
        except BaseException:
            self.close()
            raise
        for member in self.members:
            if not member.is_closed:
                self._free.put(member)

    def verify(self, pages: Sequence[DraftedPage]) -> list[PageResult]:
        """The results of ``pages``; may be called from several threads. Raises :class:`docspec.core.ModelError` if no
        process is left."""
        try:
            return self._verified(pages)
        except WorkerLost:
            return [self._alone(one) for one in pages]

    def close(self) -> None:
        for member in self.members:
            member.close()

    def _alone(self, one: DraftedPage) -> PageResult:
        try:
            return self._verified([one])[0]
        except WorkerLost as lost:
            page = one.page
            error = f"{page.source}, page {page.number}: verifying it {lost}"
            return PageResult(page.source, page.number, "failed", error=error, failure=lost.failure)

    def _verified(self, pages: Sequence[DraftedPage]) -> list[PageResult]:
        member = self._taken()
        try:
            results, self.steps = member.verify(pages)
            return results
        finally:
            self._free.put(member)

    def _taken(self) -> Member:
        """A free member with a running process."""
        while (member := self._free.get()) is not None:
            if member.is_running:
                return member
            try:
                member.load()
                return member
            except (WorkerLost, DocspecError) as error:
                member.close()
                if all(each.is_closed for each in self.members):
                    self._free.put(None)
                    raise ModelError(f"no device is left to verify on; {member.device}: {error}") from error
        self._free.put(None)  # for the other threads that wait
        raise ModelError("no device is left to verify on")


def _load_all(members: list[Member]) -> list[Any]:
    """The description of the model on each of ``members``, or the error of one that is given up."""
    return [_load(member) for member in members]


def _load(member: Member) -> Any:
    for _ in range(LOADS):
        try:
            return member.load()
        except WorkerLost as raised:
            lost = raised
    member.close()
    return ModelError(f"{member.device}: loading the model {lost}", lost.failure)
