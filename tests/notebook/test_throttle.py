"""Updates put together."""

from __future__ import annotations

import itertools
import threading
import time

from skillbook.io_thread import io
from skillbook.notebook.html.progress import Throttle


def test_many_requests_are_few_runs_and_the_last_is_not_lost() -> None:
    seen: list[tuple[float, int]] = []
    value = 0
    throttle = Throttle(lambda: seen.append((time.monotonic(), value)), hertz=20)
    begun = time.monotonic()
    while time.monotonic() - begun < 0.5:
        value += 1
        throttle.request()
        time.sleep(0.001)
    deadline = time.monotonic() + 2
    while seen[-1][1] != value and time.monotonic() < deadline:
        time.sleep(0.01)
    assert seen[-1][1] == value
    assert 5 <= len(seen) <= 12
    gaps = [later[0] - earlier[0] for earlier, later in itertools.pairwise(seen)]
    assert min(gaps) > 0.045


def test_the_first_request_runs_at_once_on_the_io_thread() -> None:
    done = threading.Event()
    inside: list[bool] = []

    def run() -> None:
        inside.append(io.inside)
        done.set()

    begun = time.monotonic()
    Throttle(run, hertz=0.5).request()
    assert done.wait(1)
    assert time.monotonic() - begun < 0.5
    assert inside == [True]


def test_the_first_run_may_be_put_off() -> None:
    done = threading.Event()
    begun = time.monotonic()
    Throttle(done.set, delay=0.2).request()
    assert done.wait(2)
    assert time.monotonic() - begun >= 0.2
