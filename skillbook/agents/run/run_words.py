"""A run in words, for whoever shows it: the notebook's panel and the browser's side panel say the same."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skillbook.agents.control.controller import NAME as NO_MODEL_NAME
from skillbook.agents.state.step_records import ASSISTANCE, SKIPPED, PendingCall, StepRecord, call_in_words
from skillbook.agents.state.tasks import TaskState
from skillbook.protocol.commands import COMMANDS

if TYPE_CHECKING:
    from skillbook.agents.run.agent_run import Run

STATE_WORDS: Mapping[TaskState, str] = {
    "created": "not started",
    "planning": "looks for what to do",
    "exploring": "explores the site",
    "executing": "at work",
    "awaiting_user": "waits for you",
    "blocked": "can't go on by itself",
    "succeeded": "done",
    "failed": "failed",
    "cancelled": "stopped",
}
POINT_WORDS = "Click the element that the agent is to use. Esc: none."
"""What the page shows while a person points at an element for a call that waits."""
DECIDED_WORDS = {
    "approve": "approved",
    "edit": "edited and approved",
    "reject": "rejected",
    "respond": "answered",
    "skip": "skipped",
    "step": "approved, step by step",
}
HELP_WORDS = {
    "captcha": "A captcha needs you",
    "login": "Please sign in",
    "two_factor": "A one-time code is needed",
    "cookies": "A cookie notice is in the way",
    "permission": "The page wants a permission",
    "failure": "The agent doesn't get on",
    "question": "The agent asks you",
    "custom": "The agent asks for your help",
}
PHRASES = {
    **{command.name: command.phrase for command in COMMANDS.values() if command.phrase},
    "explore": "Look through this site in background tabs for",
    "run_skill": "Run the saved skill",
    "run_workflow": "Run your workflow",
    "send_request": "Send",
    "request_assistance": "Ask you for help",
    "plan": "Work by these tasks",
    "run_cell": "Run a cell",
    "extract": "Read rows",
    "list_tables": "List the page's tables",
    "find": "Search the page",
    "query": "Search what can be done on the page",
    "summary": "Read what can be done on the page",
    "popup": "Wait for a new tab",
}
"""What a tool does, as the beginning of a sentence."""
ROLES = {
    "searchbox": "search field",
    "textbox": "text field",
    "combobox": "list field",
    "spinbutton": "number field",
    "listitem": "list item",
    "menuitem": "menu item",
    "treeitem": "tree item",
    "gridcell": "cell",
    "columnheader": "column header",
    "rowheader": "row header",
    "img": "image",
    "generic": "element",
}
"""What a person calls a role."""
NO_MODEL = (
    "No model is set, so only skills and exploration work on the goal. For a model set SKILLBOOK_MODEL and its key, "
    "such as OPENAI_API_KEY, or give sb.agent(…, model='openai:NAME')."
)
_DANGLING = re.compile(r" (?:on|for)$")
_ELEMENT = re.compile(r"([a-z]+)(?![a-z]*:)(.*)$", re.S)
"""A role and a name; an address is none."""


def progress_of(run: Run) -> str:
    """Where the task is and how far, in words; empty where its status says as much."""
    if run.progress is None or run.status in {"succeeded", "stopped"}:
        return ""
    return f"{STATE_WORDS[run.state]}, {run.progress:.0%}"


def state_words(run: Run) -> str:
    """Where a run is, in words."""
    return "paused" if run.status == "paused" else STATE_WORDS[run.state]


def warning_of(run: Run) -> str:
    """What to know before the run goes on; empty for nothing."""
    return "\n".join(filter(None, [run.warning, NO_MODEL if run.model == NO_MODEL_NAME else ""]))


def to_decision(
    kind: str, args: Mapping[str, Any], message: str, always: str, until: str = ""
) -> dict[str, Any]:
    """A decision from a panel as `Run.decide` takes it."""
    if kind == "step":
        return {"type": "step", "until": until or "call"}
    if kind == "skip":
        return {"type": "reject", "message": SKIPPED}
    if kind == "edit":
        return {"type": "edit", "args": dict(args)}
    if kind == "respond" or (kind == "reject" and message):
        return {"type": kind, "message": message}
    if kind == "approve" and always:
        return {"type": "approve", "always": always}
    return {"type": kind}


def decided_words(decision: Mapping[str, Any]) -> str:
    """What a decision was, such as `approved`."""
    kind = "skip" if decision.get("message") == SKIPPED else str(decision["type"])
    return DECIDED_WORDS.get(kind, kind)


def help_kind(pending: PendingCall) -> str:
    """What a person is needed for, captcha, login, question and so on; empty where a call waits."""
    return str(pending.args.get("type", "custom")) if pending.tool == ASSISTANCE else ""


def sentence_of(call: str) -> str:
    """A call such as `click button 'Save'` in a sentence: "Click the button 'Save'"; page text."""
    tool, _, element = call.partition(" ")
    phrase = PHRASES.get(tool, tool)
    if not element or element.startswith("("):
        phrase = _DANGLING.sub("", phrase)
    return f"{phrase} {plain(element)}".strip()


def plain(element: str) -> str:
    """An element such as `listitem 'Oakline'` in a sentence: "the list item 'Oakline'"; page text."""
    found = _ELEMENT.match(element)
    return f"the {ROLES.get(found[1], found[1])}{found[2]}" if found is not None else element


def target_words(target: str, place: str) -> str:
    """A call's target and where it is, in a sentence; page text."""
    return f"{plain(target)} in {plain(place)}" if target and place else plain(target)


def question_words(pending: PendingCall) -> str:
    """What waits for the person, in words; page text may be in them."""
    kind = help_kind(pending)
    if kind:
        return str(pending.args.get("message") or HELP_WORDS.get(kind, HELP_WORDS["custom"]))
    if pending.request is not None:
        return f"{PHRASES['send_request']} {pending.request.what}"
    return sentence_of(call_in_words(pending.tool, pending.review.target, pending.args))


def kept_words(pending: PendingCall | None) -> str:
    """What waits, as a saved notebook keeps it: of a request, without the ids and values in its address."""
    if pending is None:
        return ""
    if pending.request is not None:
        return question_words(replace(pending, request=replace(pending.request, address="")))
    place, cell = pending.review.place, pending.cell
    words = question_words(pending) + (f" in {plain(place)}" if place else "")
    return "\n".join(filter(None, [words, *([cell.forecast, cell.marked] if cell else [])]))


def call_of(step: StepRecord) -> str:
    """A step's call in words, with the record that its target is in."""
    place = str(step.extra.get("place") or "")
    words = step.in_words
    head, bracket, rest = words.partition(" (")
    return f"{head} in {place}{bracket}{rest}" if place else words


def brief_args(args: Mapping[str, Any]) -> str:
    """Arguments on one line, without the empty ones."""
    given = {name: value for name, value in args.items() if value not in (None, [], {})}
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in given.items())
