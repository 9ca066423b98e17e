from __future__ import annotations

from datetime import date

import pytest

from skillbook.goals import Period, period_in

TODAY = date(2026, 3, 31)


@pytest.mark.parametrize(
    ("text", "period", "rest"),
    [
        ("Download last month's invoice", Period(2026, 2), "download invoice"),
        ("Rechnung vom letzten Monat", Period(2026, 2), "rechnung vom"),
        ("先月の請求書", Period(2026, 2), "の請求書"),
        ("statement of March 2025", Period(2025, 3), "statement of"),
        ("report of 2025-01-07", Period(2025, 1, 7), "report of"),
        ("figures for 2024", Period(2024), "figures for"),
        ("yesterday's log", Period(2026, 3, 30), "log"),
        ("this hierarchy of mayors", None, "this hierarchy of mayors"),
        ("order 20250107", None, "order 20250107"),
    ],
)
def test_the_period_that_a_goal_names(text: str, period: Period | None, rest: str) -> None:
    assert period_in(text, TODAY) == (period, rest)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Invoice of 3 October 2025", True),
        ("2025-10-31", True),
        ("31.10.2025", True),
        ("Oct 2025", True),
        ("10/2025", True),
        ("October 1, 2025", True),
        ("30/10/2025", True),
        ("10/10/2025", True),
        ("2025年10月3日", True),
        ("10/09/2025", False),  # which of the two is the month nobody can know
        ("October 2024", False),
        ("2025", False),
        ("no date", False),
    ],
)
def test_dates_of_october(text: str, shown: bool) -> None:
    assert Period(2025, 10).shown_in(text) is shown
