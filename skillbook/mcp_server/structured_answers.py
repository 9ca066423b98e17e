"""What a call found as data, beside its text. No word of the page is in it, since data has no marks around it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from skillbook.agents.control.outside_calls import OutsideCall
from skillbook.errors import SkillbookError
from skillbook.mcp_server.client_resources import frame_of, rows_uri
from skillbook.mcp_server.client_work import ClientWork


def structured_answer(work: ClientWork, call: OutsideCall, text: str) -> dict[str, Any]:
    """A call's answer as its tool's output schema has it.

    Parameters
    ----------
    text : what it answered in words, fenced.
    """
    facts: dict[str, Any] = {"text": text}
    numbered = reversed(list(enumerate(work.steps, 1)))
    number, step = next(((at, each) for at, each in numbered if each.call_id == call.id), (0, None))
    if step is None:
        return facts
    facts |= {name: step.extra[name] for name in ("tables", "refs") if name in step.extra}
    frame = frame_of(step)
    if frame is not None:
        facts |= {"rows": len(frame), "csv": rows_uri(number)}
        with suppress(SkillbookError):  # no page says how many rows a workflow's own table should have
            facts["complete"] = bool(frame.skillbook.complete)
    return facts
