"""The browsers of attempts: one is used again only where nothing of one task can reach another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import skillbook as sb
from skillbook.evals.eval_task import Start
from skillbook.session.sync import Browser


class AttemptBrowsers:
    """Gives one attempt after the other a browser.

    A site that is served for an attempt has an address of its own and keeps its visitor's cookies itself, so that the
    next such attempt can use the same browser. At other addresses each attempt has a new one.

    Parameters
    ----------
    launch : options of `sb.launch`.
    given : one that is open, for all attempts.
    """

    def __init__(self, launch: Mapping[str, Any], given: Browser | None = None) -> None:
        self._launch = launch
        self._given = given
        self._shared: Browser | None = None
        self._open: set[Browser] = set()
        self._closed = False

    @contextmanager
    def use(self, start: Start) -> Iterator[Browser]:
        """A browser for one attempt."""
        if self._given is not None:
            yield self._given
            return
        if not start.served:
            fresh = self._start()
            try:
                yield fresh
            finally:
                self._end(fresh)
            return
        if self._shared is None:
            self._shared = self._start()
        try:
            yield self._shared
        except BaseException:
            self._end(self._shared)
            self._shared = None
            raise

    def close(self) -> None:
        """Close what was started; from any thread, also while an attempt is under way, which then fails."""
        self._closed = True
        for browser in list(self._open):
            self._end(browser)
        self._shared = None

    def _start(self) -> Browser:
        browser = sb.launch(**self._launch)
        self._open.add(browser)
        if self._closed:
            self._end(browser)
        return browser

    def _end(self, browser: Browser) -> None:
        self._open.discard(browser)
        with suppress(Exception):
            browser.close()
