"""The tabs whose network a cassette records or answers for; on the I/O thread only."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from skillbook.errors import CassetteMismatch, PageUnreachable, SkillbookError
from skillbook.protocol.envelopes import RequestBody
from skillbook.protocol.events import ExchangeRecorded, RequestWanted
from skillbook.session.cassette import Cassette, current

if TYPE_CHECKING:
    from skillbook.session.gateway import Bridge

SETTLE_MS = 5_000
"""How long pages that never rest are waited for."""
_log = logging.getLogger("skillbook.session")


class CassetteTabs:
    """Which tab belongs to which cassette, for the tab's life.

    A tab that was replayed stays off the network when its cassette ends; one that was recorded is let go.
    """

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._cassettes: dict[int, Cassette] = {}
        self._answering: set[asyncio.Task[None]] = set()

    def mode(self) -> dict[str, str]:
        """What the extension needs to open a tab for the cassette that runs; nothing where none does."""
        cassette = current()
        return {} if cassette is None else {"cassette": "replay" if cassette.replaying else "record"}

    def add(self, tab: int, opener: int | None = None) -> None:
        """A tab was opened by this kernel, or by a page: it belongs to the cassette that runs, or to its opener's."""
        cassette = current() if opener is None else self._cassettes.get(opener)
        if cassette is None or tab in self._cassettes:
            return
        self._cassettes[tab] = cassette
        if self._end not in cassette.on_stop:
            cassette.on_stop.append(self._end)

    def of(self, tab: int) -> Cassette | None:
        """The cassette of a tab; None for the real network."""
        return self._cassettes.get(tab)

    def take(self, tab: int, event: RequestWanted | ExchangeRecorded) -> None:
        """A tab's request waits for its answer, or has got one to be recorded."""
        self.add(tab)
        cassette = self._cassettes.get(tab)
        if isinstance(event, ExchangeRecorded):
            if cassette is not None and cassette.running:
                cassette.network.record(event)
            return
        answer = {"status": 0} if cassette is None else cassette.network.answer(event)
        task = asyncio.ensure_future(self._send(tab, "answer_request", {"id": event.id, **answer}))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def settle(self, tab: int) -> bool:
        """Wait until a tab's requests are answered, so that what is read doesn't depend on how fast that was.

        Returns whether there is a cassette, so that there was something to wait for.
        """
        if tab not in self._cassettes:
            return False
        await self._send(tab, "await_exchanges", {"timeout_ms": SETTLE_MS})
        return True

    def explain(self, url: str, error: PageUnreachable) -> SkillbookError:
        """Why a page didn't load: where a cassette answers, because of what that doesn't have."""
        cassette = current()
        if cassette is None or not cassette.replaying or not cassette.missed:
            return error
        missed = next((one for one in cassette.missed if one.kind == "Document"), cassette.missed[-1])
        return CassetteMismatch(
            f"{url} didn't load from the cassette {cassette.name!r}, which has no answer for {missed}"
        )

    async def _end(self, cassette: Cassette) -> None:
        if cassette.replaying:
            return
        for tab in [tab for tab, its in self._cassettes.items() if its is cassette]:
            await self._send(tab, "set_cassette", {"mode": "off"})
            del self._cassettes[tab]

    async def _send(self, tab: int, command: str, params: dict[str, Any]) -> None:
        """A browser that doesn't get an answer blocks the request by itself; a tab that is gone needs nothing."""
        try:
            await self._bridge.request(RequestBody(command=command, tab=tab, params=params))
        except SkillbookError as error:
            _log.debug("%s: %s", command, error)
