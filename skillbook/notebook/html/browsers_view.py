"""The browsers that are open, each with a button that closes it."""

from __future__ import annotations

from typing import Any
from weakref import ref

from skillbook.io_thread import io
from skillbook.notebook.environment import LIVE
from skillbook.notebook.escaping import escape, shorten

_LENGTH = 200


def show_browsers(browsers: Any) -> None:
    """Show the list in the current cell.

    Parameters
    ----------
    browsers : a `BrowserList` with at least one browser.
    """
    from IPython.display import display
    from ipywidgets import VBox

    display(VBox([_line(browser) for browser in browsers]), metadata=LIVE)


def _line(browser: Any) -> Any:
    from ipywidgets import HTML, Button, HBox

    from skillbook.session.browser_list import describe

    words = HTML(escape(shorten(describe(browser), _LENGTH)))
    button = Button(description="Close", layout={"width": "auto"})
    found = ref(browser.driver)  # a line that is still shown keeps no browser open

    def close(_: Any) -> None:
        button.disabled = True
        driver = found()
        if driver is not None:
            io.submit(driver.close())
        button.description = "Closed"

    button.on_click(close)
    return HBox([button, words])
