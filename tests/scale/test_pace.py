"""How fast rows begin at a site."""

from __future__ import annotations

from skillbook.scale.claims import Pace


def test_rows_begin_one_after_the_other_at_each_site() -> None:
    pace = Pace(2.0, clock=lambda: 100.0)
    assert [pace.wait("http://a.test", attempt) for attempt in "xyz"] == [0, 2, 4]
    assert pace.wait("http://b.test", "other") == 0
    assert pace.wait("http://a.test", "y") == 2, "whoever asks again has the same time"


def test_a_site_that_asks_for_a_rest_gets_it_from_all() -> None:
    now = [100.0]
    pace = Pace(clock=lambda: now[0])
    assert pace.wait("http://a.test", "x") == 0
    pace.rest("http://a.test", 30)
    pace.rest("http://a.test", 10)
    assert pace.wait("http://a.test", "y") == 30
    now[0] = 131.0
    assert pace.wait("http://a.test", "z") == 0
