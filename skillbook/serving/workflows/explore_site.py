"""The built-in workflow that looks for a page of a site."""

from __future__ import annotations

import pandas as pd

from skillbook.exploration.exploring import explore
from skillbook.serving.workflows.workflow import Workflow
from skillbook.session.sync import Page


def _explore(page: Page, *, goal: str, max_pages: int = 40, max_depth: int = 3) -> pd.DataFrame:
    """Find a page of this site by links and controls that only read, in background tabs.

    Parameters
    ----------
    goal : str
        What the page is about, in its words, such as opening hours.
    max_pages : int
        Pages opened at most.
    max_depth : int
        Links from here at most.
    """
    return explore(page, goal, max_pages=max_pages, max_depth=max_depth).frame


explore_site = Workflow("explore", _explore)
