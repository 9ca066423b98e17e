"""Browsers as a resource of Dask's workers: one each, ended with the last map that uses it."""

from __future__ import annotations

import asyncio
from typing import Any

from distributed import WorkerPlugin

from skillbook.scale.worker_browser import leave_worker_browser, use_worker_browser
from skillbook.session.saved_state import SavedState

RESOURCE = {"browser": 1}


class BrowserPlugin(WorkerPlugin):
    """Declares each worker's browser, also of workers that join later.

    Parameters
    ----------
    user : the map that uses the browsers.
    state : each worker's copy of the state by which the skill is signed in.
    """

    def __init__(self, user: str, state: SavedState | None = None) -> None:
        self._user, self._state = user, state

    async def setup(self, worker: Any) -> None:
        """Declare the browser; the first row, or the check before it, starts it."""
        use_worker_browser(self._user, self._state)
        await worker.set_resources(**RESOURCE)

    async def teardown(self, worker: Any) -> None:
        """End the browser, unless another map uses it."""
        await asyncio.to_thread(leave_worker_browser, self._user)
