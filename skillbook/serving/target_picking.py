"""For a call that waits in the side panel, the person points at another element in the page itself."""

from __future__ import annotations

import asyncio

from skillbook.agents.run.run_words import POINT_WORDS
from skillbook.errors import CommandTimeout, InvalidParams, PageClosed
from skillbook.perception.nodes import Node
from skillbook.protocol.asks.run_asks import Pointed, PointParams
from skillbook.serving.runs.served_run import ServedRun

_SECONDS = 120.0
"""A page that a person forgot takes no clicks for so long at most."""


class Pointing:
    """One element at a time is pointed at; used on the I/O thread only."""

    def __init__(self) -> None:
        self._going: asyncio.Future[Node | None] | None = None

    def end(self) -> None:
        """The page takes clicks again."""
        if self._going is not None:
            self._going.cancel()
            self._going = None

    async def point(self, run: ServedRun, given: PointParams) -> Pointed:
        """Wait for the person's click in the page of a run whose call waits.

        Raises
        ------
        InvalidParams : nothing that can be pointed at waits by that id. PageClosed : the run has no page any more.
        StaleRef : what they pointed at has gone.
        """
        self.end()
        question, page = run.view().question, run.page
        if not given.on:
            return Pointed()
        if question is None or question.id != given.question or question.call is None:
            raise InvalidParams("this question is gone: there is nothing to point at")
        if page is None or page.closed:
            raise PageClosed("the run's page was closed", hint="stop the run, and start it on another page")
        going = self._going = asyncio.ensure_future(page.pick(POINT_WORDS, timeout=_SECONDS))
        try:
            node = await going
        except CommandTimeout:
            return Pointed(words="Nothing was pointed at in the page.")
        except asyncio.CancelledError:
            if not going.cancelled():
                going.cancel()
                raise
            return Pointed()
        return Pointed(ref=(node and node.ref) or "")
