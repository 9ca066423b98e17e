"""What the browser has measured of a page, and what an action made of it; on the I/O thread only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillbook.errors import SkillbookError

if TYPE_CHECKING:
    from skillbook.session.page.page_reader import PageReader

Metrics = dict[str, float | None]
_NAMES = {"lcp": "LCP", "cls": "CLS", "inp": "INP", "fcp": "FCP", "ttfb": "TTFB"}
_SECONDS = 5.0


async def measure(page: PageReader, *, timeout: float | None = None) -> Metrics:
    """What the browser has measured of a page, by the names that people use; None for what isn't known."""
    found = await page.run("metrics", {}, timeout=timeout)
    return {_NAMES.get(name, name): value for name, value in found.items()}


async def measure_if_possible(page: PageReader) -> Metrics | None:
    """The same beside an action, which goes on without it: None if a dialog or a missing debugger forbids it."""
    if page.closed or page.dialogs.open is not None:
        return None
    try:
        return await measure(page, timeout=_SECONDS)
    except SkillbookError:
        return None
