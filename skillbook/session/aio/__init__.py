"""The awaitable twin: `browser = await sb.aio.launch()`, `await page.click("e5")`."""

from __future__ import annotations

from skillbook.session.aio.browser import Browser, connect, launch
from skillbook.session.aio.element import Element
from skillbook.session.aio.page import Page

__all__ = ["Browser", "Element", "Page", "connect", "launch"]
