"""The demo shop and a browser for it in a test's kernel; both outlive a test, their pages don't.

A test may close the browser: the next one gets another.
"""

from __future__ import annotations

import skillbook as sb
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_site

_open: list[tuple[Site, Browser]] = []


def open_shop() -> tuple[Site, Browser, Page]:
    """The shop, the browser and a new page."""
    if not _open or _open[0][1].driver.gateway.closed:
        shop = _open[0][0] if _open else serve_site("shop")
        _open[:] = [(shop, sb.launch(allow_evaluate=True))]
    shop, browser = _open[0]
    return shop, browser, browser.open(shop.url)
