"""Where requests of a tab may go in which a secret was filled in: each other origin is asked about once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from skillbook.session.page.request_decisions import HeldRequest, RequestDecision

LEAVES = "a secret was filled in here, and it doesn't belong to that site"


class Destinations:
    """The answers so far, by origin; on the I/O thread only."""

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[RequestDecision]] = {}

    def clear(self) -> None:
        """Forget them: another secret was filled in."""
        self._answers.clear()

    async def ask(
        self,
        request: HeldRequest,
        decide: Callable[[HeldRequest], Awaitable[RequestDecision]],
        keep_waiting: Callable[[], Awaitable[object]],
    ) -> RequestDecision:
        """Decide on a request; the first answer for its origin holds for the rest.

        A request that may change something, or that carries a secret, is asked about all the same.

        Parameters
        ----------
        request : one that goes where the secret doesn't belong.
        decide : asks about it.
        keep_waiting : has the browser hold it until the first answer is there.
        """
        known = self._answers.get(request.fact.origin)
        if known is not None:
            if not known.done():
                await keep_waiting()
            first = await asyncio.shield(known)  # if it was stopped, so is this
            if not first.allow or request.verdict.reason == LEAVES:
                return first
        mine: asyncio.Future[RequestDecision] = asyncio.get_running_loop().create_future()
        self._answers.setdefault(request.fact.origin, mine)
        try:
            decision = await decide(request)
        except asyncio.CancelledError:
            self._answers.pop(request.fact.origin, None)
            mine.cancel()
            raise
        mine.set_result(decision)
        return decision
