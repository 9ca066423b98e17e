"""Every verb of the terminal, in one table; most are made from the commands and from an agent's reading tools."""

from __future__ import annotations

import argparse
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, cast

from pydantic import BaseModel

from skillbook.agents.fence import fence, unfence
from skillbook.agents.state.run_context import OfferedAs, RunContext
from skillbook.agents.tools.command_tools import open_action
from skillbook.agents.tools.tool_base import check_args, effect_of, input_schema, kind_of
from skillbook.errors import NotAllowed
from skillbook.perception.nodes import Node
from skillbook.policy.secrets import store
from skillbook.protocol.commands import COMMANDS
from skillbook.serving.terminal.own_verbs import OWN_VERBS
from skillbook.serving.terminal.terminal_run import Given, Verb, VerbAnswer, run_tools
from skillbook.serving.terminal.verb_parser import AT_PLACE, add_schema
from skillbook.session.actions.result import ActionResult
from skillbook.session.page.act_requests import NOT_SENT, REQUEST_FAILED

_BY_HAND = frozenset({"screenshot", "capture"})
"""Tools whose verb is written by hand, as a terminal wants a file."""
CODE_OF: Mapping[str, int] = {NOT_SENT: 4, REQUEST_FAILED: 1}
"""Exit codes of a call whose requests were refused or failed."""
_SHOWN_ROWS = 20
_NO_TABS = "no tab is shared: `skillbook open URL` opens one"


def verb_name(tool: str) -> str:
    """What a terminal calls a tool."""
    if tool == "tabs_list":
        return "tabs"
    return tool.removeprefix("tabs_").removeprefix("list_").replace("_", "-")


def tool_verbs() -> Iterator[Verb]:
    """A verb for each tool."""
    # Only the schemas are used: a tool that works belongs to a terminal's run.
    for name, tool in run_tools(cast(RunContext, None)).items():
        if name in _BY_HAND:
            continue
        work = _open if kind_of(tool) == "open" else _extract if kind_of(tool) == "extract" else _do
        verb = Verb(
            name=verb_name(name),
            help=tool.description,
            arguments=_arguments(tool),
            work=_bind(name, work),
            rows=kind_of(tool) == "extract",
            on_page=not _names_its_tab(tool),
        )
        yield verb
        if name in COMMANDS and COMMANDS[name].also:
            yield replace(verb, name=verb_name(COMMANDS[name].also))


def _names_its_tab(tool: Any) -> bool:
    """Whether a tool works before a tab was chosen: it opens one, is about all of them, or takes its number."""
    spec = COMMANDS.get(tool.name)
    is_about_all = spec is not None and spec.scope == "browser"
    return kind_of(tool) == "open" or is_about_all or "tab" in input_schema(tool).get("required", ())


def _arguments(tool: Any) -> Callable[[argparse.ArgumentParser], None]:
    spec = COMMANDS.get(tool.name)

    def add(parser: argparse.ArgumentParser) -> None:
        schema = dict(input_schema(tool))
        # Which tab a command is about is an option of every verb.
        schema["properties"] = {
            name: field
            for name, field in schema.get("properties", {}).items()
            if name != "tab" or name in schema.get("required", ())
        }
        add_schema(parser, schema, spec.text_param if spec is not None else None)

    return add


def _offered(tool: Any) -> OfferedAs:
    """How a terminal knows a tool."""
    schema = input_schema(tool)
    required = {*schema.get("required", ()), *AT_PLACE}
    names = (name.replace("_", "-") for name in schema.get("properties", {}))
    labels = (name.upper() if name.replace("-", "_") in required else f"--{name}" for name in names)
    return OfferedAs(f"skillbook {verb_name(tool.name).replace('_', '-')}", tuple(labels))


def _bind(
    name: str, work: Callable[[Given, Any], Awaitable[VerbAnswer]]
) -> Callable[[Given], Awaitable[VerbAnswer]]:
    async def do(given: Given) -> VerbAnswer:
        return await work(given, given.run.tools[name])

    return do


async def _call(given: Given, tool: Any) -> str:
    """Call a tool with a person's approval where it needs one; its text."""
    run, args = given.run, with_paths(given, _with_secret(given.args, tool.name), tool.name)
    check_args(tool, args, _offered(tool))
    model = cast(type[BaseModel], tool.args_schema).model_validate(args)
    values = {name: getattr(model, name) for name in type(model).model_fields}
    acts = effect_of(tool) != "read" or kind_of(tool) == "extract"
    if acts and run.page is not None:
        await run.requests.join()
    began = time.monotonic()
    answer = await run.approved(lambda: tool.coroutine(**values))
    text = answer[0] if isinstance(answer, tuple) else answer
    if acts and (outcomes := run.requests.report(began)):
        text += f"\nIts requests:\n{fence(outcomes)}"
    return str(text)


def with_paths(given: Given, args: dict[str, Any], command: str) -> dict[str, Any]:
    """The arguments with files to upload as the terminal's folder has them, not the service's."""
    param = COMMANDS[command].file_param if command in COMMANDS else None
    if param is None or not args.get(param):
        return args
    return {**args, param: [str(given.path(each)) for each in args[param]]}


def _with_secret(args: dict[str, Any], command: str) -> dict[str, Any]:
    """The arguments, with a secret's placeholder where its name was given."""
    args = {name: value for name, value in args.items() if value is not None}
    name = args.pop("secret_name", None)
    if name is None:
        return args
    if not store.has(name):
        raise NotAllowed(
            f"the secret {name!r} has no value",
            hint=f"set {store.variable(name)} where `skillbook serve` runs",
        )
    store.add(name)
    return {**args, str(COMMANDS[command].text_param): f"${{secret:{name}}}"}


async def _do(given: Given, tool: Any) -> VerbAnswer:
    text = await _call(given, tool)
    notes = given.run.context.notes
    found = isinstance(notes.value, list) and not notes.value and tool.name not in COMMANDS
    if tool.name == "console":
        text = fence("\n".join(map(_message_line, notes.value["messages"])))
    if not unfence(text).strip():
        text = _NO_TABS if tool.name == "tabs_list" else "nothing"
    if isinstance(notes.value, ActionResult) and (paths := notes.value.paths):
        text += f"\nSaved:\n{fence(chr(10).join(map(str, paths)))}"  # the page may have named it
    code = CODE_OF.get(notes.error or "", 1 if found else 0)
    return VerbAnswer(text, {**_data(notes.value), "text": unfence(text)}, code=code)


def _message_line(message: dict[str, Any]) -> str:
    place = f" ({message['url']}:{message['line']})" if message.get("url") else ""
    return f"{message['level']}: {message['text']}{place}"


def _data(value: Any) -> dict[str, Any]:
    """A tool's value as JSON data."""
    if isinstance(value, ActionResult):
        return {
            "command": value.command, "changed": value.changed, "navigated": value.navigated, "url": value.url,
            "opened_tabs": list(value.opened_tabs), "files": [str(path) for path in value.paths],
            "dialog": value.dialog.message if value.dialog is not None else None,
            "not_sent": list(map(str, value.refused)), "failed": list(map(str, value.failed)),
        }  # fmt: skip
    if isinstance(value, list) and all(isinstance(each, Node) for each in value):
        return {"found": [_node(each) for each in value]}
    return {} if value is None else {"value": value}


def _node(node: Node) -> dict[str, Any]:
    return {"ref": node.ref, "role": node.role, "name": node.name, "value": node.value}


async def _extract(given: Given, tool: Any) -> VerbAnswer:
    await _call(given, tool)
    frame = given.run.context.notes.value
    shown = frame.head(_SHOWN_ROWS).to_csv(index=False) if given.call.fenced else frame.to_string()
    more = len(frame) - _SHOWN_ROWS if given.call.fenced else 0
    text = f"{len(frame)} rows\n{fence(shown.rstrip())}" + (
        f"\n… and {more} more: --csv gives all" if more > 0 else ""
    )
    known = frame.skillbook
    why = f"that isn't all: {known.reason or 'nobody knows whether it is'}"
    notes = [] if known.complete else [given.call.page_words(why)]
    called = given.run.context.notes
    notes += [given.call.page_words(called.refused)] if called.refused else []
    data = {"rows": len(frame), "complete": known.complete}
    return VerbAnswer(text, data, frame=frame, notes=notes, code=CODE_OF.get(called.error or "", 0))


async def _open(given: Given, tool: Any) -> VerbAnswer:
    """Open a page; a person who approves its origin allows acting there, too."""
    run, url = given.run, str(given.args["url"])
    gateway = run.browser.gateway
    action = open_action(url)
    verdict = gateway.judge(action.call)
    if verdict.action == "ask":
        reason = verdict.reason
        if verdict.code == "origin":
            reason = f"if you approve, terminals may read {verdict.origin} and act there from now on"
        await run.ask_about(action.binding, reason)
        run.context.approve(run.context.call_id, action.binding)
    before = run.page
    text = str(await tool.coroutine(url=action.call.destination))
    page = run.page
    assert page is not None
    if verdict.code == "origin":
        gateway.policy.allow_landing(str(action.call.destination), page.url)
    if before is None:
        run.context.first_page = page
    data = {"tab": page.tab.id, "url": page.url, "title": page.title, "text": unfence(text)}
    return VerbAnswer(text, data, code=CODE_OF.get(run.context.notes.error or "", 0))


@cache
def verb_table() -> dict[str, Verb]:
    """The verbs by name."""
    return {verb.name: verb for verb in sorted([*tool_verbs(), *OWN_VERBS], key=lambda verb: verb.name)}
