"""A call on a page, as those who record calls get it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skillbook.perception.snapshot import Snapshot
from skillbook.session.actions.result import ActionResult


@dataclass
class PerformedCall:
    """Something that a Python call did on a page.

    Parameters
    ----------
    command, params : what, as the wire has it; or `extract` with its arguments, or `run_skill` with name and inputs.
    result : what came of an action.
    before : the page before it.
    failed : whether it came to nothing, as only what is recorded as one can.
    frame : of an extraction: its frame.
    """

    command: str
    params: Mapping[str, Any]
    result: ActionResult | None
    before: Snapshot | None
    failed: bool = False
    frame: Any = None
