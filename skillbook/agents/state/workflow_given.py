"""What a workflow gives an agent that ran it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class WorkflowGiven:
    """What a workflow gave.

    Parameters
    ----------
    text : in words.
    frame : its rows, if it has any.
    """

    text: str
    frame: pd.DataFrame | None = None


RunWorkflow = Callable[[str, dict[str, Any]], Awaitable[WorkflowGiven]]
