"""Browsers as a resource of Dask's workers: one each, ended with the last map that uses it."""

from __future__ import annotations

import asyncio
from typing import Any

from distributed import WorkerPlugin

from skillbook.scale.worker_browser import leave_worker_browser, use_worker_browser

RESOURCE = {"browser": 1}


class BrowserPlugin(WorkerPlugin):
    """Declares each worker's browser, also of workers that join later.

    Parameters
    ----------
    user : the map that uses the browsers.
    """

    def __init__(self, user: str) -> None:
        self._user = user

    async def setup(self, worker: Any) -> None:
        """Declare the browser; the first row, or the check before it, starts it."""
        use_worker_browser(self._user)
        await worker.set_resources(**RESOURCE)

    async def teardown(self, worker: Any) -> None:
        """End the browser, unless another map uses it."""
        await asyncio.to_thread(leave_worker_browser, self._user)
