"""An `extract` step: rows of the page, and of those that follow it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from skillbook.session.page_driver import PageDriver
from skillbook.skill.model import Extract, SkillStep
from skillbook.skill.templates import Value, fill_selector

if TYPE_CHECKING:
    import pandas as pd


async def run_extract(
    driver: PageDriver, step: SkillStep, inputs: Mapping[str, Value], *, keep: Callable[[pd.DataFrame], Any]
) -> pd.DataFrame:
    """Read the rows that a step names.

    Parameters
    ----------
    keep : called with the frame.

    Raises
    ------
    ExtractionError : nothing to read.
    """
    from skillbook.extraction.driver import extract_frame

    wanted = step.extract or Extract()
    frame = await extract_frame(
        driver,
        fields={name: fill_selector(text, inputs) for name, text in wanted.fields.items()}
        if wanted.fields
        else None,
        within=fill_selector(wanted.within, inputs) if wanted.within else None,
        next=fill_selector(wanted.next, inputs) if wanted.next else None,
        max_pages=wanted.max_pages,
        scroll=wanted.scroll,
    )
    keep(frame)
    return frame
