"""A kernel whose interpreter is held for long takes that for no silence of the browser's."""

from __future__ import annotations

from skillbook.limits import MOMENT_SECONDS
from tests.bridge.helpers import Bench


def test_a_hold_right_after_a_hold_is_one_too() -> None:
    bench = Bench(heartbeat=0.5)
    bench.greet(1, 0.0)
    bench.machine.tick(3.0)
    bench.machine.tick(8.0)
    bench.take()
    assert bench.machine.state == "connected"
    bench.run_until(8.0 + MOMENT_SECONDS)
    assert bench.machine.state == "lost"
