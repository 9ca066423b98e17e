"""A site while it is explored: a line with a bar, and in a notebook the picture of the pages that were seen."""

from __future__ import annotations

from typing import Any

from skillbook.notebook.environment import LIVE, Mode
from skillbook.notebook.escaping import escape
from skillbook.notebook.html.progress import Progress, progress_html


class SiteView:
    """Shows one exploration; called with the pages opened, and whether it has ended.

    Parameters
    ----------
    result : the `Exploration` as it grows.
    pages : how many it opens at most.
    mode : "notebook" or "terminal".

    Attributes
    ----------
    thumbnails : whether it shows what the pages look like.
    """

    def __init__(self, result: Any, pages: int, mode: Mode) -> None:
        self._result = result
        self.thumbnails = mode == "notebook"
        self._line = Progress("Exploring", pages, "quiet" if mode == "notebook" else mode)
        self._handle: Any = None
        if mode == "notebook":
            from IPython.display import display

            self._handle = display(self._bundle(), raw=True, display_id=True, metadata=LIVE)
        else:
            self._line.__enter__()

    def __call__(self, opened: int, ended: bool) -> None:
        """Show it as it is now."""
        self._line.on_site(opened, self._result.graph.number_of_nodes())
        if self._handle is not None:
            self._handle.update(self._bundle(ended), raw=True, metadata=LIVE)
        elif ended:
            self._line.__exit__(None, None, None)

    def _bundle(self, ended: bool = False) -> dict[str, str]:
        # What an exploration came to is its value, which the cell shows; the bar was of its budget.
        words = repr(self._result) if ended else str(self._line)
        line = f'<div role="status">{escape(words)}</div>' if ended else progress_html(self._line)
        return {"text/plain": words, "text/html": f"<div>{line}{self._result.picture()}</div>"}
