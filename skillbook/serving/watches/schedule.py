"""When a watch is due: every so many minutes, hours, days or weeks, at a local time of the day."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from skillbook.errors import InvalidInput

_EVERY = re.compile(r"(\d{1,4})\s*(minute|hour|day|week)s?(?:\s+(?:at\s+)?(\d{1,2}):(\d\d))?")
_SECONDS = {"minute": 60, "hour": 3600}
_DAYS = {"day": 1, "week": 7}


@dataclass(frozen=True)
class Schedule:
    """Due times, one after the other.

    every: such as "1 day 07:00", "30 minutes" or "2 weeks 18:30".
    zone: a time zone such as "Europe/Vienna"; this computer's where it is empty.
    Raises InvalidInput: it says no times, or there is no such zone.
    """

    every: str
    zone: str = ""

    def __post_init__(self) -> None:
        self._parts()
        if self.zone:
            try:
                ZoneInfo(self.zone)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                raise InvalidInput(
                    f"there is no time zone {self.zone!r}", hint="such as 'Europe/Vienna'"
                ) from None

    def next_after(self, after: float, anchor: float) -> float:
        """The first due time after a moment; counted from the anchor, when the watch was made.

        A day on which the clocks leave the time out has it as much later; one that has it twice has it once.
        """
        number, unit, at = self._parts()
        if unit in _SECONDS:
            step = number * _SECONDS[unit]
            return anchor + (max(0.0, after - anchor) // step + 1) * step
        hour, minute = at or (0, 0)
        days, first = number * _DAYS[unit], self._day(anchor)
        passed = max(0, (self._day(after) - first).days) // days * days
        for at_day in (first + timedelta(days=passed + extra * days) for extra in range(-1, 3)):
            due = self._moment(at_day, hour, minute)
            if due > after and due > anchor:
                return due
        raise AssertionError("a day later is later")

    def _parts(self) -> tuple[int, str, tuple[int, int] | None]:
        found = _EVERY.fullmatch(self.every.strip().lower())
        problem = found is None or int(found[1]) < 1
        if found is not None and found[3] is not None:
            problem = problem or found[2] in _SECONDS or int(found[3]) > 23 or int(found[4]) > 59
        if problem or found is None:
            raise InvalidInput(
                f"{self.every!r} says no times", hint="such as '1 day 07:00', '30 minutes', '1 week 18:30'"
            )
        return int(found[1]), found[2], (int(found[3]), int(found[4])) if found[3] is not None else None

    def _day(self, moment: float) -> date:
        return datetime.fromtimestamp(moment, ZoneInfo(self.zone) if self.zone else None).date()

    def _moment(self, day: date, hour: int, minute: int) -> float:
        if self.zone:
            return datetime(
                day.year, day.month, day.day, hour, minute, tzinfo=ZoneInfo(self.zone)
            ).timestamp()
        return time.mktime((day.year, day.month, day.day, hour, minute, 0, 0, 0, -1))

    def words(self, moment: float) -> str:
        """A moment as this schedule's people read it, with the zone's name of that time of the year."""
        zone = ZoneInfo(self.zone) if self.zone else None
        return datetime.fromtimestamp(moment, zone).astimezone(zone).strftime("%Y-%m-%d %H:%M %Z")
