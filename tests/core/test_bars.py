"""Progress bars of transformers are held back by several threads and come back after the last."""

from __future__ import annotations

import threading

from transformers.utils import logging

from docspec.core.libraries import without_bars


def test_bars_come_back_after_the_last_of_two_threads() -> None:
    assert logging.is_progress_bar_enabled()
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with without_bars():
            entered.set()
            leave.wait(60)

    thread = threading.Thread(target=other)
    with without_bars():
        thread.start()
        assert entered.wait(60)
    assert not logging.is_progress_bar_enabled(), "the other one still holds them back"
    leave.set()
    thread.join(60)
    assert logging.is_progress_bar_enabled()
