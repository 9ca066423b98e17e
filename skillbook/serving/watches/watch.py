"""Watches: what is read or done every so often, when that is due, what was known of it, and what it reported."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pandas as pd

from skillbook.config import load_settings
from skillbook.errors import InvalidInput, NotAllowed
from skillbook.extraction.frames.accessor import neutralised
from skillbook.policy.urls import screen_url
from skillbook.serving.terminal.terminal_client import is_served
from skillbook.serving.watches.telling import Notify, as_texts, checked
from skillbook.session.action import acting_name
from skillbook.skill.facade import Skill
from skillbook.skill.model.spec_base import check_name
from skillbook.storage import HOME, private_folder, storing, write_private

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


_FACTS, _KNOWN, _FRAMES = "watch.json", "known", "readings"
_MOST_READINGS = 1000
_NOT_SERVED = "no watch runs now: `skillbook serve` doesn't run"


@dataclass(frozen=True)
class Watch:
    """Something that `skillbook serve` reads or does every so often.

    name: names it, and its folder.
    skill, inputs: the saved skill that it runs, and with what; empty for a page that is read.
    url, options: the page that is read, and the arguments of `sb.extract`.
    every, zone, until: when; `until` in seconds since 1970, 0 for no end.
    key: the columns that name a record.
    began: when the run that is under way began; 0 where none is.
    last, words: when it ran last, and what came of it.
    failures: how often in a row the same came to nothing.
    changed, changes: when a reading last differed from what was known, and how, a line each.
    """

    name: str
    every: str
    skill: str = ""
    inputs: dict[str, Any] = field(default_factory=dict)
    url: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    zone: str = ""
    until: float = 0.0
    notify: list[Notify] = field(default_factory=list)
    key: list[str] = field(default_factory=list)
    made: float = 0.0
    due: float = 0.0
    began: float = 0.0
    last: float = 0.0
    words: str = ""
    failures: int = 0
    problem: str = ""
    changed: float = 0.0
    changes: list[str] = field(default_factory=list)

    @property
    def schedule(self) -> Schedule:
        """When it is due."""
        return Schedule(self.every, self.zone)

    def __str__(self) -> str:
        what = f"skill {self.skill}" if self.skill else self.url
        state = self.words or "not yet run"
        return f"{self.name}: {what}, every {self.every}, next {self.schedule.words(self.due)}; {state}"

    @property
    def lines(self) -> list[str]:
        """What it says of itself: a line, and one for each of the last changes."""
        when = f"changed {self.schedule.words(self.changed)}:" if self.changes else ""
        return [str(self), *filter(None, [when]), *self.changes]


class WatchStore:
    """The watches of a user, a folder each, with what they read by time.

    Parameters
    ----------
    folder : Path, optional
        Where they are; by default `watches` in the settings' `home`.
    clock : function, optional
        Gives the time, in seconds since 1970.

    Examples
    --------
    >>> sb.watches.history("shop-example")  # doctest: +SKIP
    """

    def __init__(self, folder: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self.clock = clock

    @property
    def folder(self) -> Path:
        """Where they are."""
        return self._folder or load_settings().home / "watches"

    def __iter__(self) -> Iterator[Watch]:
        found = sorted(self.folder.glob(f"*/{_FACTS}"))
        return iter([watch for path in found if (watch := _read(path)) is not None])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, name: str) -> Watch:
        found = next((watch for watch in self if watch.name == name), None)
        if found is None:
            raise InvalidInput(f"there is no watch {name!r}", hint="sb.watches lists them")
        return found

    def _ipython_key_completions_(self) -> list[str]:
        return [watch.name for watch in self]

    def add(self, watch: Watch) -> Watch:
        """Keep a new watch; one of that name is replaced, with what it knew.

        Raises
        ------
        NotAllowed : a model or a client asks for it.
        """
        if acting_name.get():
            raise NotAllowed(f"{acting_name.get()} can't make a watch", hint="a person makes one")
        now = self.clock()
        made = replace(watch, made=now, due=watch.schedule.next_after(now, now))
        shutil.rmtree(self.folder / watch.name, ignore_errors=True)
        self.keep(made)
        return made

    def remove(self, name: str) -> None:
        """Forget a watch, and all that it read.

        Parameters
        ----------
        name : str
            The watch's name.

        Raises
        ------
        InvalidInput
            There is none of that name.
        """
        shutil.rmtree(self.folder / self[name].name)

    def keep(self, watch: Watch) -> None:
        """Write down where a watch is."""
        path = self.folder / watch.name / _FACTS
        with storing(path, HOME):
            private_folder(path.parent)
            write_private(path, json.dumps(asdict(watch), indent=1))

    def known(self, watch: Watch) -> pd.DataFrame | None:
        """What was known of the records last; None before the first reading."""
        found = sorted((self.folder / watch.name).glob(f"{_KNOWN}.*"))
        return _frame_of(found[0]) if found else None

    def keep_reading(self, watch: Watch, frame: pd.DataFrame, known: pd.DataFrame, *, complete: bool) -> None:
        """Keep a reading by its time, and what is known of the records by now."""
        home = self.folder / watch.name
        with storing(home, HOME):
            private_folder(home / _FRAMES)
            mark = "" if complete else ".partial"
            stamp = datetime.fromtimestamp(self.clock(), UTC).strftime("%Y-%m-%dT%H%M%SZ")
            texts = as_texts(frame)
            _write(texts, home / _FRAMES / f"{stamp}{mark}", as_csv=neutralised(texts))
            _write(known, home / _KNOWN, as_csv=known)
            for old in sorted((home / _FRAMES).iterdir())[:-_MOST_READINGS]:
                old.unlink()

    def history(self, name: str) -> pd.DataFrame:
        """When a watch read, how many rows, and whether that was all of them.

        Parameters
        ----------
        name : str
            The watch's name.

        Returns
        -------
        DataFrame
            A row a reading: time (UTC), rows, complete, file.
        """
        files = sorted((self.folder / self[name].name / _FRAMES).glob("*"))
        rows = [
            (
                pd.to_datetime(path.name.partition(".")[0].partition("Z")[0], format="%Y-%m-%dT%H%M%S", utc=True),
                len(_frame_of(path)), ".partial" not in path.name, str(path),
            )
            for path in files
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=["time", "rows", "complete", "file"])

    def __repr__(self) -> str:
        lines = ["\n    ".join(watch.lines) for watch in self]
        return "\n".join([*lines, *([] if is_served() else [_NOT_SERVED])]) if lines else "<no watches>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        items = "".join(f"<li>{'<br>'.join(map(escape, watch.lines))}</li>" for watch in self)
        note = "" if is_served() else f"<p>{_NOT_SERVED}</p>"
        return {
            "text/plain": repr(self),
            "text/html": f"<ul>{items}</ul>{note}" if items else "<p>no watches</p>",
        }


def _write(frame: pd.DataFrame, path: Path, *, as_csv: pd.DataFrame) -> None:
    """As Parquet; as CSV where pyarrow isn't installed, of which people open the readings."""
    part = path.with_name(f"{path.name}.part")
    try:
        frame.to_parquet(part)
        kind, other = ".parquet", ".csv"
    except ImportError:
        as_csv.to_csv(part, index=False)
        kind, other = ".csv", ".parquet"
    part.replace(path.with_name(path.name + kind))
    path.with_name(path.name + other).unlink(missing_ok=True)


def _frame_of(path: Path) -> pd.DataFrame:
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()


def _read(path: Path) -> Watch | None:
    try:
        return Watch(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


watches = WatchStore()


def watch(
    skill_or_read: Skill | str,
    every: str,
    *,
    name: str | None = None,
    notify: Notify | Sequence[Notify] | None = None,
    inputs: Mapping[str, Any] | None = None,
    key: str | Sequence[str] | None = None,
    until: str | float | None = None,
    zone: str = "",
    **options: Any,
) -> Watch:
    """Run a skill, or read a page, every so often, and say what changed. `skillbook serve` does it while it runs.

    A time at which nothing ran is made up for once. An incomplete reading never says that a record is gone.

    Parameters
    ----------
    skill_or_read : Skill or str
        A saved skill, or the address of a page to read.
    every : str
        Such as "1 day 07:00", "30 minutes" or "1 week 18:30", in local time.
    name : str, optional
        What it is called; by default the skill's name, or the page's host.
    notify : str or sequence, optional
        Where it tells: "mail:me@example.com", an https address, a command as a list such as ["notify-send", "Prices"],
        "notebook" for the output of who serves; or a list of these.
    inputs : dict, optional
        The skill's inputs.
    key : str or sequence of str, optional
        The columns that name a record; by default the first one with another value in every row.
    until : str or float, optional
        When it ends, such as "2026-12-31".
    zone : str
        A time zone such as "Europe/Vienna"; this computer's by default.
    **options : object
        Of a page: arguments of `sb.extract`, such as `fields=` and `next=`.

    Returns
    -------
    Watch
        The watch; `sb.watches` lists them, and has `history(name)` and `remove(name)`.

    Raises
    ------
    InvalidInput
        It is no saved skill and no address, or there are no such times.

    Examples
    --------
    >>> sb.watch("https://shop.example/lamps", every="1 day 07:00", notify="mail:me@example.com")  # doctest: +SKIP
    """
    skill, url = "", ""
    if isinstance(skill_or_read, Skill):
        if skill_or_read.path is None:
            raise InvalidInput("the skill isn't saved, so a service can't load it", hint="skill.save() first")
        skill, called = str(skill_or_read.path.resolve()), name or skill_or_read.name
    elif not isinstance(skill_or_read, str):
        raise InvalidInput(
            "a watch runs a saved skill, or reads an address", hint="save a skill of your own first"
        )
    else:
        url = screen_url(skill_or_read)
        called = name or url.split("/")[2].partition(":")[0].replace(".", "-")
    check_name(called)
    end = datetime.fromisoformat(until).timestamp() if isinstance(until, str) else float(until or 0)
    keys = [key] if isinstance(key, str) else list(key or ())
    json.dumps([dict(inputs or {}), options])  # what can't be kept is refused now
    return watches.add(
        Watch(called, every, skill, dict(inputs or {}), url, options, zone, end, checked(notify), keys)
    )
