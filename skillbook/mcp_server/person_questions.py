"""How far a client's long call is, passed on to the client while it waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from skillbook.agents.run.outside_run import OutsideAnswer, OutsideCall
from skillbook.agents.run.run_words import help_kind, question_words
from skillbook.agents.state.step_records import FORM_ONLY_READS, RUN_CELL, PendingCall, call_in_words
from skillbook.limits import (
    ANSWER_SECONDS,
    MOMENT_SECONDS,
    PEER_SECONDS,
    PERSON_SECONDS,
    PRESENT_SECONDS,
    READ_SECONDS,
    SHOWN_SECONDS,
)
from skillbook.mcp_server.client_work import ClientWork
from skillbook.perception.escape import clean, shorten_middle
from skillbook.session.page.page_rest import in_words

_REPORT_WORDS = 300
_STEP = 0.001
"""The protocol wants every report to be higher than the one before it; one without a number goes up by so much."""


@asynccontextmanager
async def progress_to(
    client: ClientWork, call: OutsideCall, ctx: ServerRequestContext[Any, Any]
) -> AsyncIterator[None]:
    """Report a call's progress to a client that asked for it, meanwhile."""
    reports = _Reports(client, call, ctx)
    passing = asyncio.ensure_future(reports.pass_on())
    try:
        yield
    finally:
        passing.cancel()
        with suppress(asyncio.CancelledError):
            await passing
        await reports.pass_new()


class _Reports:
    """Passes a client's reports on, for one call."""

    def __init__(self, client: ClientWork, call: OutsideCall, ctx: ServerRequestContext[Any, Any]) -> None:
        self._client, self._call, self._ctx = client, call, ctx
        self._last = 0.0
        self._total: float | None = None
        self._began, self._waited_for = time.monotonic(), ""

    async def pass_on(self) -> None:
        """Pass reports on as they come."""
        while True:
            await asyncio.sleep(MOMENT_SECONDS)
            await self.pass_new()
            await self._pass_wait()

    async def pass_new(self) -> None:
        """Pass on what wasn't yet."""
        while self._client.reports:
            report = self._client.reports.popleft()
            self._total = report.total
            await self._pass(report.done or 0.0, report.total, report.text or str(report))

    async def _pass_wait(self) -> None:
        """Say of a call that lasts what it is about and what it waits for, whenever that is something else."""
        if time.monotonic() - self._began < PEER_SECONDS:
            return
        run = self._client.run
        under_way = run.under_way if run is not None else ""
        words = in_words(
            under_way or call_in_words(self._call.name, "", self._call.args),
            run.awaits if run is not None else "",
        )
        if words != self._waited_for:
            self._waited_for = words
            await self._pass(0.0, self._total, words)

    async def _pass(self, done: float, total: float | None, words: str) -> None:
        self._last = max(self._last + _STEP, done)
        with suppress(Exception):  # a client that is gone gets no progress
            await self._ctx.session.report_progress(self._last, total, clean(words)[:_REPORT_WORDS])


Ctx = ServerRequestContext[Any, Any]
KEY = "approval"
_WORDS = 2_000
_CODE_LINES = 60
_READS_ONLY = "approve, this form only reads"
_FINAL = "can't be undone"
_NOBODY = (
    "Not done: it needs the person's approval, and nobody could be asked ({why}). Ways to approve: the side panel of "
    "the browser (Alt+Shift+S), while this call waits; a client that can ask, which is called elicitation; or the "
    "person does it by hand. A site that may be used without asking is given to the server with --origins."
)


async def carry(client: ClientWork, call: OutsideCall, ctx: Ctx) -> OutsideAnswer | types.InputRequiredResult:
    """Wait for a call's answer, and have the person decide what comes up before it.

    Raises SkillbookError: the client's run ended.
    """
    try:
        async with progress_to(client, call, ctx):
            return await _carry(client, call, ctx)
    except asyncio.CancelledError:  # the client says that it doesn't wait any more, or is gone
        client.call_off(call)
        raise


async def _carry(
    client: ClientWork, call: OutsideCall, ctx: Ctx
) -> OutsideAnswer | types.InputRequiredResult:
    while True:
        step = await client.next(call)
        if isinstance(step, OutsideAnswer):
            return step
        if client.limits.read_only and step.request is not None:
            client.refuse(step, "this server only reads")
        elif client.limits.in_client and can_ask(ctx):
            client.note_shown(step)
            if is_modern(ctx):
                return types.InputRequiredResult(
                    input_requests={KEY: types.ElicitRequest(params=_form(step, client.name))},
                    request_state=client.token_for(call, step),
                )
            await _ask(client, step, ctx)
        else:
            await _wait_elsewhere(client, step, ctx)


def take_answer(client: ClientWork, question: str, answer: object) -> None:
    """Decide on a question as the person did in the client's dialog; whatever isn't an approval is none.

    question: its id; nothing happens where another one waits by now.
    answer: the client's `ElicitResult`.
    """
    pending = client.question
    if pending is None or pending.id != question:
        return
    content = answer.content or {} if isinstance(answer, types.ElicitResult) else {}
    accepted = isinstance(answer, types.ElicitResult) and answer.action == "accept"
    decision, words = str(content.get("decision", "")), str(content.get("words") or "")
    if not accepted:
        client.answer(question, "reject", "")
    elif pending.options and decision in pending.options:
        client.answer(question, "respond", decision)
    elif help_kind(pending):
        kind = "reject" if decision != "done" and not words else "respond" if words else "approve"
        client.answer(question, kind, words)
    elif decision == _READS_ONLY and pending.review.form is not None:
        client.answer(question, "approve", "", FORM_ONLY_READS)
    else:
        client.answer(question, "approve" if decision == "approve" else "reject", words)


def can_ask(ctx: Ctx) -> bool:
    """Whether the client shows forms to the person."""
    able = ctx.session.client_capabilities
    asks = able.elicitation if able is not None else None
    return asks is not None and (asks.form is not None or asks.url is None)


def is_modern(ctx: Ctx) -> bool:
    """Whether the client brings the person's answer with a second request, rather than in the middle of the first."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def question_text(pending: PendingCall, name: str) -> str:
    """A question as the side panel's card words it, without what could hide or forge a line."""
    review = pending.review
    lines = [clean(question_words(pending))]
    if review.place:
        lines.append(f"In {clean(review.place)}.")
    if not help_kind(pending):
        if pending.tool == RUN_CELL and pending.is_call:
            lines += ["The code:", *_code_lines(str(pending.args.get("code", "")))]
        lines.append(f"Why this asks: {clean(pending.why)}.")
        if review.effect == "irreversible" and _FINAL not in review.reason:
            lines.append(f"It {_FINAL}.")
        if review.form is not None:
            lines.append(f"If you choose {_READS_ONLY!r}, this asks no more: {clean(str(review.form))}.")
        quotes = " Words in '…' come from the page." if "'" in lines[0] or review.place else ""
        lines.append(f"{clean(name)} wants it.{quotes}")
    return "\n".join(shorten_middle(line, _WORDS) for line in lines)


def _code_lines(code: str) -> list[str]:
    """A cell's code, which the person approves, with its line numbers; a long one's beginning."""
    lines = code.strip("\n").split("\n")
    more = [f"… and {len(lines) - _CODE_LINES} more lines"] if len(lines) > _CODE_LINES else []
    numbered = enumerate(lines[:_CODE_LINES], 1)
    return [*(f"{number:>3}  {_indented(line)}" for number, line in numbered), *more]


def _indented(line: str) -> str:
    """A line of code, cleaned, which folds spaces, but for those that it begins with."""
    return " " * (len(line) - len(line.lstrip(" "))) + clean(line)


def _form(pending: PendingCall, name: str) -> types.ElicitRequestFormParams:
    help = help_kind(pending)
    values = list(pending.options) or (["done", "not done"] if help else ["approve", "reject"])
    if pending.review.form is not None and not help:
        values.insert(1, _READS_ONLY)
    properties: dict[str, Any] = {"decision": {"type": "string", "title": "Decision", "enum": values}}
    if not pending.options:
        title = "Answer for the agent" if help else "Why, for the agent"
        properties["words"] = {"type": "string", "title": title}
    schema = {"type": "object", "properties": properties, "required": ["decision"]}
    return types.ElicitRequestFormParams(message=question_text(pending, name), requested_schema=schema)


async def _ask(client: ClientWork, question: PendingCall, ctx: Ctx) -> None:
    """Show the question in the client's dialog, until it is decided there or elsewhere."""
    form = _form(question, client.name)
    asking = asyncio.ensure_future(
        ctx.session.elicit_form(form.message, form.requested_schema, related_request_id=ctx.request_id)
    )
    over = asyncio.ensure_future(client.question_over(question))
    try:
        await asyncio.wait({asking, over}, return_when=asyncio.FIRST_COMPLETED)
        if asking.done() and not over.done():
            failed = asking.exception()
            if isinstance(failed, MCPError):
                client.refuse(question, _NOBODY.format(why=f"{client.name} says: {clean(str(failed))[:200]}"))
            elif failed is not None:
                raise failed
            else:
                take_answer(client, question.id, asking.result())
            await client.question_over(question)
    finally:
        asking.cancel()
        over.cancel()


async def _wait_elsewhere(client: ClientWork, question: PendingCall, ctx: Ctx) -> None:
    """Wait for a decision in the side panel or the notebook, if one is there; else refuse and say what would help."""
    began = reported = time.monotonic()
    over = asyncio.ensure_future(client.question_over(question))
    try:
        while not over.done():
            await asyncio.wait({over}, timeout=SHOWN_SECONDS)
            now = time.monotonic()
            if over.done():
                return
            if now - reported >= READ_SECONDS or now - began < SHOWN_SECONDS * 2:
                reported = now
                words = f"Waits for the person, in the side panel: {question_text(question, client.name)}"
                await ctx.session.report_progress(now - began, message=words)
            if not _is_somebody_there(client, began) and now - began > ANSWER_SECONDS:
                client.refuse(question, _NOBODY.format(why="no side panel or notebook shows it"))
                await over
            elif now - began > PERSON_SECONDS:
                client.refuse(question, _NOBODY.format(why=f"no answer within {PERSON_SECONDS:.0f} s"))
                await over
    finally:
        over.cancel()


def _is_somebody_there(client: ClientWork, began: float) -> bool:
    """Whether a side panel or a live view in a notebook shows the question."""
    last_request = client.driver.asked_at
    # A side panel that requested something so recently is open.
    return last_request > began - PRESENT_SECONDS or (client.run is not None and bool(client.run.on_change))
