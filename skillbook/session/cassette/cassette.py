"""Cassettes: a run on somebody else's site, recorded once, replays without network, key or person."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal

from skillbook.config import load_settings
from skillbook.errors import CassetteMismatch, ConfigError
from skillbook.io_thread import io
from skillbook.policy.secrets import store
from skillbook.session.cassette.cassette_files import Content, Scrubber, place_of, read, write
from skillbook.session.cassette.cassette_parts import (
    Missed,
    RecordedConversation,
    RecordedDecisions,
    RecordedNetwork,
)

Mode = Literal["once", "record", "replay"]
_current: Cassette | None = None
_SHOWN = 5


class Cassette:
    """What a notebook's pages, models and person did, kept in a folder; made by `sb.cassette`.

    replaying: whether it answers; else it records.
    on_stop: awaited with a recording that ends.
    """

    def __init__(self, name: str, folder: Path, mode: Mode, ignore: Sequence[str]) -> None:
        settings = load_settings()
        self.name = name
        self.path = place_of(name, folder)
        wanted = settings.cassettes or mode
        self.replaying = wanted == "replay" or (wanted == "once" and self.path.exists())
        content = read(self.path) if self.replaying else Content()
        key = settings.api_key.get_secret_value() if settings.api_key else ""
        scrubber = self._scrubber = Scrubber(store, [key], ignore)
        self._content = content
        self.network = RecordedNetwork(content, scrubber)
        self.model = RecordedConversation(content.model, scrubber)
        self.decisions = RecordedDecisions(content.decisions, scrubber)
        self.running = True
        self.on_stop: list[Callable[[Cassette], Awaitable[None]]] = []

    @property
    def missed(self) -> list[Missed]:
        """The requests of pages that the cassette has no answer for; each was blocked."""
        return list(self.network.missed)

    def stop(self) -> Cassette:
        """End it: write what was recorded, or check that all that was recorded came again.

        Raises CassetteMismatch: in a replay, a page needed a request that the cassette doesn't have, or answers of the
            model or decisions were left over.
        """
        if not self.running:
            return self
        io.sync(self._end())
        if not self.replaying:
            # What went into a secret field is known only after the model's answer that has it.
            self._content.model[:] = self._scrubber.data(self._content.model)
            write(self.path, self._content)
            self._warn_of_unrecorded()
            return self
        self._check()
        return self

    def discard(self) -> None:
        """End it without writing or checking anything."""
        if self.running:
            io.sync(self._end())

    async def _end(self) -> None:
        global _current
        if not self.replaying:
            for callback in self.on_stop:
                await callback(self)
        self.running, self.network.finished = False, True
        if _current is self:
            _current = None
            store.stand_in = None

    def _warn_of_unrecorded(self) -> None:
        lines = [str(each) for each in self.network.unrecorded if not each.minor]
        if lines:
            warnings.warn(
                f"The cassette {self.name!r} could not record, so a replay will block {_listed(lines)}",
                stacklevel=3,
            )

    def _check(self) -> None:
        needed = [str(missed) for missed in self.missed if not missed.minor]
        minor = [str(missed) for missed in self.missed if missed.minor]
        if minor:
            warnings.warn(
                f"The cassette {self.name!r} has no answer for {_listed(minor)}\nThey were blocked.",
                stacklevel=3,
            )
        if needed:
            raise CassetteMismatch(
                f"pages sent requests that the cassette {self.name!r} doesn't have, which were blocked:"
                + _listed(needed),
                hint="record it anew (mode='record'), or give ignore=[…] for what differs each time",
                missed=needed,
            )
        left = [
            f"{count} {what}"
            for count, what in (
                (self.model.left, "answers of the model"),
                (self.decisions.left, "decisions"),
            )
            if count
        ]
        if left:
            raise CassetteMismatch(
                f"the cassette {self.name!r} was recorded with more: {' and '.join(left)} were left over",
                hint="record it anew (mode='record') where that is as it should be",
            )

    def __enter__(self) -> Cassette:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.stop()
        else:
            self.discard()

    def __repr__(self) -> str:
        state = "replaying" if self.replaying else "recording"
        content = self._content
        counts = (
            f"{len(content.model)} model answers, {sum('decision' in each for each in content.decisions)} decisions, "
            f"{len(content.network)} requests"
        )
        return f"<Cassette {self.name!r}: {state if self.running else 'stopped'}, {counts}>"


def cassette(
    name: str,
    *,
    mode: Mode = "once",
    folder: Path | str = "cassettes",
    ignore: Sequence[str] = (),
) -> Cassette:
    """Record what happens from now on, or replay it, until `stop()` or the end of a `with` block.

    Recorded are what pages that are opened meanwhile exchange with the network, what models answer, and what a person
    decides in panels. A replay needs none of the three: it answers from the cassette. Whatever it has no answer for is
    blocked and reported, a changed prompt with a diff. Secrets named by `sb.secret`, keys, cookies, what went into
    password, card and code fields, and fields that are called like passwords are masked before anything is written.

    Parameters
    ----------
    name : str
        Letters, digits, `_` and `-`; the folder's name.
    mode : Mode
        `once` replays a cassette that is there and else records it, `record` always records, `replay` never does. The
        setting `SKILLBOOK_CASSETTES` goes before it.
    folder : Path or str
        Where cassettes are kept.
    ignore : sequence of str
        Regular expressions for what differs on every run, such as a time; it doesn't count when requests and prompts
        are compared.

    Returns
    -------
    Cassette
        The cassette, for a `with` statement.

    Raises
    ------
    CassetteNotFound
        There is none to replay, or it can't be read.
    ConfigError
        Another cassette runs, or the name or the mode can't be used.

    Examples
    --------
    >>> with sb.cassette("orders"):  # doctest: +SKIP
    ...     frame = sb.extract(browser.open("https://example.com/orders"))
    """
    global _current
    if mode not in ("once", "record", "replay"):
        raise ConfigError(f"there is no mode {mode!r}", hint="use 'once', 'record' or 'replay'")
    if _current is not None:
        raise ConfigError(f"the cassette {_current.name!r} still runs", hint="call its stop() first")
    _current = Cassette(name, Path(folder), mode, ignore)
    store.stand_in = _stand_in if _current.replaying else None
    return _current


def current() -> Cassette | None:
    """The cassette that runs, or None."""
    return _current


def replaying() -> bool:
    """Whether a cassette answers for the network now."""
    return _current is not None and _current.replaying


def _stand_in(name: str) -> str:
    """A value for a secret that isn't there when a cassette is replayed: what was recorded has none either."""
    return f"replayed-value-of-{name}"


def _listed(lines: Sequence[str]) -> str:
    more = [f"… and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return "".join(f"\n- {line}" for line in [*lines[:_SHOWN], *more])
