"""A browser that nobody can reach any more closes; one that anything still refers to stays."""

from __future__ import annotations

import gc
import time
from typing import Any

import pytest

import skillbook as sb

pytestmark = pytest.mark.browser
_SECONDS = 20.0


def start() -> sb.Browser:
    return sb.launch(headless=True)


def processes_of(kept: list[Any]) -> list[Any]:
    return [each.driver.process for each in kept]


def test_one_that_nothing_refers_to_closes_and_two_from_one_line_stay() -> None:
    before = len(sb.browsers)
    kept: list[Any] = [start() for _ in range(2)]
    processes = processes_of(kept)
    kept[0].open("about:blank").snapshot()
    kept[1] = kept[1].open("about:blank").driver  # what a run has of it
    gc.collect()
    assert len(sb.browsers) == before + 2
    assert all("1 page>" in line for line in repr(sb.browsers).splitlines()[before:])
    del kept[0]
    gc.collect()
    assert len(sb.browsers) == before + 1
    deadline = time.monotonic() + _SECONDS
    while processes[0].alive:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert processes[1].alive
    kept.clear()
    gc.collect()
    assert len(sb.browsers) == before


def test_its_list_closes_them() -> None:
    browser = start()
    sb.browsers[len(sb.browsers) - 1].close()
    assert browser.status.state == "closed"
    assert all(each.driver is not browser.driver for each in sb.browsers)
