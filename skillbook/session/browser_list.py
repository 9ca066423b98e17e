"""`sb.browsers`: the browsers that are open in this process."""

from __future__ import annotations

from collections.abc import Iterator

from skillbook.session.browser_driver import open_drivers
from skillbook.session.sync.browser import Browser


class BrowserList:
    """The browsers that are open in this process, the oldest first; in a notebook each has a button that closes it.

    Examples
    --------
    >>> import skillbook as sb
    >>> for browser in sb.browsers:
    ...     browser.close()
    """

    def __iter__(self) -> Iterator[Browser]:
        return iter([Browser(driver) for driver in open_drivers()])

    def __len__(self) -> int:
        return len(open_drivers())

    def __getitem__(self, index: int) -> Browser:
        return Browser(open_drivers()[index])

    def __repr__(self) -> str:
        return "\n".join(f"{n} {describe(browser)}" for n, browser in enumerate(self)) or "no browser is open"


def describe(browser: Browser) -> str:
    """A browser in one line: what it is, and the titles of its first pages."""
    titles = [page.title or page.url for page in browser.pages]
    more = f" and {len(titles) - 3} more" if len(titles) > 3 else ""
    return f"{browser!r} {', '.join(titles[:3])}{more}".rstrip()


browsers = BrowserList()
