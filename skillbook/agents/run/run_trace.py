"""What a run's trace shows of it."""

from __future__ import annotations

import base64
import json
from datetime import datetime

from skillbook.agents.run.run_frames import Frame, Replay
from skillbook.agents.state.run_context import RunContext
from skillbook.journal.trace_file import Trace, TraceStep
from skillbook.policy.secrets import store


def trace_of(context: RunContext, replay: Replay, model: str) -> Trace:
    """A run's steps, pages, screenshots, requests and decisions."""
    facts = [
        ("Status", replay.status),
        ("Result", replay.result),
        ("Model", model),
        ("Cost", str(context.cost)),
        ("Page", context.page.url if context.page is not None else ""),
    ]
    steps = [_step(context, frame) for frame in replay]
    return Trace(replay.goal, facts, steps, store.redact_kept)


def _step(context: RunContext, frame: Frame) -> TraceStep:
    step = frame.step
    edited = json.dumps(step.args, ensure_ascii=False, default=str) if step.edited is not None else ""
    facts = [
        ("Decision", step.decided),
        ("Proposed", edited),
        ("Why it asked", step.reason),
        ("The model said", step.said),
        ("Outcome", frame.outcome),
        ("Effect", step.effect),
        ("Address", step.url),
        ("Time", f"{_clock(step.at)}{step.elapsed_ms:,.0f} ms"),
        ("Tokens", f"{step.tokens:,}" if step.tokens else ""),
    ]
    texts = [("Page before", frame.page), ("What changed", frame.changes)]
    status = "ok" if step.ok else "declined" if step.was_declined else "failed"
    requests = [one.row for one in step.extra.get("requests") or ()]
    return TraceStep(frame.call, status, facts, texts, requests, _image(context, frame))  # type: ignore[arg-type]


def _clock(at: float) -> str:
    return f"{datetime.fromtimestamp(at):%H:%M:%S}, " if at else ""


def _image(context: RunContext, frame: Frame) -> tuple[str, str] | None:
    """The step's screenshot, or the small one that the journal keeps of an agent's action."""
    shot = frame.step.extra.get("screenshot")
    if shot is not None:
        return f"image/{shot['format']}", shot["data"]
    browser = getattr(context.page, "browser", None)
    small = (
        browser.gateway.journal.thumbnail(context.key_of(frame.step.call_id)) if browser is not None else None
    )
    return None if small is None else ("image/jpeg", base64.b64encode(small).decode("ascii"))
