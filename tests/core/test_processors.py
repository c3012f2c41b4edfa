"""How many processors are counted, and that a thread that counted one has all of them again."""

from __future__ import annotations

import os

import pytest

from docspec.core.processors import one_processor, processors

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system narrows no thread")


def test_within_it_there_is_one_and_afterwards_all() -> None:
    usual = processors()
    with one_processor():
        assert processors() == 1
    assert processors() == usual


def test_they_are_back_after_an_error_too() -> None:
    usual = processors()
    with pytest.raises(ImportError), one_processor():
        raise ImportError("no such library")
    assert processors() == usual
