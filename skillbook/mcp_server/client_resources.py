"""What a client can read besides answers: the page, all rows that it extracted, screenshots, and what it did."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillbook.agents.fence import fence
from skillbook.agents.run.outside_run import OutsideCall
from skillbook.agents.state.step_records import StepRecord
from skillbook.errors import InvalidParams, SkillbookError
from skillbook.mcp_server.client_work import ClientWork
from skillbook.session.actions import shown_page

if TYPE_CHECKING:
    import pandas as pd


PAGE, JOURNAL, ROWS, SCREENSHOT = (
    f"skillbook://{each}" for each in ("page", "journal", "rows", "screenshot")
)


@dataclass(frozen=True)
class ClientResource:
    """Something to be read.

    uri, name, kind: its address, what it is called, and its MIME type.
    """

    uri: str
    name: str
    kind: str


TEMPLATES = (
    ClientResource(f"{ROWS}/{{call}}", "Rows of a call", "text/csv"),
    ClientResource(f"{SCREENSHOT}/{{call}}", "Screenshot of a call", ""),
)
"""Addresses of what calls give; the number is that of the call in the journal, from 1. A screenshot's type varies."""


def list_resources(work: ClientWork | None) -> list[ClientResource]:
    """What a client can read now; nothing before its first call."""
    if work is None:
        return []
    return [
        ClientResource(PAGE, "The page as it was read last", "text/plain"),
        ClientResource(JOURNAL, "What you did here", "application/json"),
        *(
            ClientResource(rows_uri(number), f"Rows of call {number}", "text/csv")
            for number, step in _numbered(work)
            if frame_of(step) is not None
        ),
        *(
            ClientResource(f"{SCREENSHOT}/{number}", f"Screenshot of call {number}", _image_kind(step))
            for number, step in _numbered(work)
            if "screenshot" in step.extra
        ),
    ]


def rows_uri(number: int) -> str:
    """Where the rows of a call are."""
    return f"{ROWS}/{number}"


def frame_of(step: StepRecord) -> pd.DataFrame | None:
    """The rows that a call read, or that its cell ended with."""
    frame: pd.DataFrame | None = step.extra.get("frame", step.extra.get("cell_rows"))
    return frame


def read_resource(work: ClientWork | None, uri: str) -> tuple[str, str | bytes]:
    """The MIME type and the content of something that is listed.

    Raises InvalidParams: there is no such thing, or the client may not see the page.
    """
    known = {each.uri: each for each in list_resources(work)}
    found = known.get(uri)
    if work is None or found is None:
        raise InvalidParams(f"there is no {uri!r}", hint="list the resources")
    if uri == PAGE:
        return found.kind, _page(work)
    if uri == JOURNAL:
        return found.kind, json.dumps([_fact(step) for _, step in _numbered(work)], ensure_ascii=False)
    step = dict(_numbered(work))[int(uri.rpartition("/")[2])]
    if uri.startswith(ROWS):
        frame = frame_of(step)
        assert frame is not None, "it was listed"
        return found.kind, str(frame.skillbook.to_csv(index=False))
    return found.kind, base64.b64decode(step.extra["screenshot"]["data"])


def _numbered(work: ClientWork) -> Iterator[tuple[int, StepRecord]]:
    return iter(enumerate(work.steps, 1))


def _page(work: ClientWork) -> str:
    """The page, fenced, as far as an answer may be long."""
    page = work.page
    if page is None or page.latest is None or work.limits.forbids(page.url):
        raise InvalidParams("there is no page to read", hint="`open` one, then `snapshot`")
    seen = shown_page.visible_to_ai(page, page.latest)
    return fence(seen.text(budget=work.limits.answer_tokens))


def _fact(step: StepRecord) -> dict[str, object]:
    """A step as data; what pages wrote is fenced."""
    return {
        "tool": step.tool,
        "decision": step.decided,
        "effect": step.effect,
        "ok": step.ok,
        "error": step.error,
        "at": step.at,
        "words": fence(step.in_words),
    }


def _image_kind(step: StepRecord) -> str:
    return f"image/{step.extra['screenshot']['format']}"


def structured_answer(work: ClientWork, call: OutsideCall, text: str) -> dict[str, Any]:
    """A call's answer as its tool's output schema has it.

    text: what it answered in words, fenced.
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
