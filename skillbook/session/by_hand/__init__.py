"""The awaitable twin: `browser = await sb.aio.launch()`, `await page.click("e5")`."""

from __future__ import annotations

from skillbook.session.aio.browser import Browser, Page, connect, launch
from skillbook.session.aio.element import Element

__all__ = ["Browser", "Element", "Page", "connect", "launch"]
