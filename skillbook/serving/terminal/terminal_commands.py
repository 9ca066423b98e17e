"""Carries out what terminals want: finds the verb, reads its arguments, prints its answer, gives the exit code."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from skillbook.agents.fence import fence_error, unfence
from skillbook.agents.tools.formatting import with_calls
from skillbook.errors import (
    ExtractionError,
    IncompleteRead,
    InvalidInput,
    InvalidParams,
    MissingInput,
    NotConnected,
    PageClosed,
    PolicyError,
    SkillbookError,
    Stopped,
    StorageError,
)
from skillbook.serving.asking import answers_of
from skillbook.serving.runs.approved_calls import NobodyApproved
from skillbook.serving.terminal.known_verbs import known_verbs, parser_of, verb_lines
from skillbook.serving.terminal.terminal_run import Given, TerminalRun, Verb, VerbAnswer
from skillbook.serving.terminal.terminal_socket import TerminalCall
from skillbook.serving.terminal.verb_parser import ParserExit, Shown, take_shown
from skillbook.serving.terminal.verb_table import verb_table
from skillbook.session.browser_driver import BrowserDriver

_LISTS = {"browser.pages": "tabs", "sb.watches": "watch", "sb.grants": "grants", "sb.workflow": "workflow"}
"""The commands that show what Python's names hold."""
_TOOL = re.compile(r"`([a-z_]+)`")
_FENCED = re.compile(r"(<page-content untrusted nonce=(\w+)>.*?</page-content nonce=\2>)", re.S)
_SWITCH = {"tabs": "switch"}
"""Tools that do several things, of which a terminal needs one."""
_OPTION = re.compile(r"(\w+)\s*=\s*(?!=)(.*)", re.S)


def in_terminal(words: str) -> str:
    """A hint with the commands that do what its calls do; a call that no verb does stays."""
    words = with_calls(words, _command)
    for name, command in _LISTS.items():
        words = re.sub(rf"`?{re.escape(name)}\b`?", f"`skillbook {command}`", words)
    return words


def tools_as_commands(text: str) -> str:
    """What a tool answers, with commands in place of the tools that it names; the page's words stay."""
    parts = _FENCED.split(text)
    # What is caught twice, text and nonce, follows each part of ours.
    parts[::3] = [_TOOL.sub(_as_command, part) for part in parts[::3]]
    return "".join(part for at, part in enumerate(parts) if at % 3 != 2)


def _as_command(found: re.Match[str]) -> str:
    verb = _SWITCH.get(found[1], found[1]).replace("_", "-")
    return f"`skillbook {verb}`" if verb in known_verbs() else found[0]


def _command(method: str, arguments: list[str]) -> str | None:
    verb = known_verbs().get(method.replace("_", "-"))
    if verb is None:
        return None
    known = {name: options for names, options in verb.given for name in names}
    parts = [f"skillbook {verb.name}"]
    for argument in arguments:
        if option := _OPTION.fullmatch(argument):
            name = f"--{option[1].replace('_', '-')}"
            if name not in known:
                return None
            parts.append(name if "action" in known[name] else f"{name} …")
        else:
            parts.append(argument.upper() if argument.isidentifier() else argument)
    return " ".join(parts)


OK, FAILED, USAGE, NO_PAGE, REFUSED, UNANSWERED = 0, 1, 2, 3, 4, 5
"""Exit codes; docs/terminal.md explains them."""
NEW_BROWSER = frozenset({"--new", "--headed", "--model", "--approve", "--url", "--workflows"})
"""Options of `skillbook run` and `workflow` that are for a browser of their own."""


class TerminalCommands:
    """The terminals of one service."""

    def __init__(self, driver: BrowserDriver) -> None:
        self._driver = driver
        self._runs: dict[str, TerminalRun] = {}

    def rehearse(self) -> None:
        """Make what the first command would make: the tools' schemas, and the parsers of verbs."""
        TerminalRun(self._driver)
        for verb in verb_table().values():
            parser_of(verb)

    async def answer(self, call: TerminalCall) -> int | None:
        """Carry one command out; its exit code, or None if it is no verb."""
        name, *words = call.words
        if name == "verbs":
            call.take()
            call.print(verb_lines())
            return OK
        verb = verb_table().get(name)
        if verb is None or NEW_BROWSER & {word.partition("=")[0] for word in words}:
            return None
        call.take()
        try:
            args = vars(parser_of(verb).parse_intermixed_args(words))
        except ParserExit as end:
            (call.print if end.code == OK else call.report)(end.text)
            return end.code
        shown = take_shown(args)
        if isinstance(args.get("fields"), list):
            args["fields"] = dict(args["fields"])
        return await self._carry_out(verb, call, args, shown)

    async def _carry_out(self, verb: Verb, call: TerminalCall, args: dict[str, Any], shown: Shown) -> int:
        run = await self._run_of(call.session)
        given = Given(run, call, args, shown)
        try:
            if not verb.waits_turn:
                answer = await verb.work(given)
            else:
                answer = await run.do(call, shown.deadline, lambda: _work(verb, given))
        except SkillbookError as error:
            return _fail(call, shown, _code_of(error), error)
        except (NobodyApproved, TimeoutError) as error:
            words = f"nobody answered within {shown.deadline:g} s; it was not done: {error}"
            hint = "have a person answer in time, or wait longer with --deadline; then run it again"
            return _fail(call, shown, UNANSWERED, SkillbookError(words, hint=hint), "unanswered")
        except asyncio.CancelledError:
            if not run.was_stopped:
                raise
            return _fail(call, shown, REFUSED, Stopped("a person stopped it in the side panel", hint=""))
        return await _print(given, answer)

    async def _run_of(self, session: str) -> TerminalRun:
        if session not in self._runs:
            run = self._runs[session] = TerminalRun(self._driver, session)
            (await answers_of(self._driver)).runs.add(run)
        return self._runs[session]


async def _work(verb: Verb, given: Given) -> VerbAnswer:
    if verb.on_page or given.shown.tab is not None:
        await given.run.use_tab(given.shown.tab)
    return await verb.work(given)


def _code_of(error: SkillbookError) -> int:
    if isinstance(error, PolicyError):
        return REFUSED
    if isinstance(error, InvalidParams | InvalidInput | MissingInput):
        return USAGE
    return NO_PAGE if isinstance(error, NotConnected | PageClosed) else FAILED


def _fail(call: TerminalCall, shown: Shown, code: int, error: SkillbookError, name: str = "") -> int:
    name, hint = name or error.code, in_terminal(error.hint)
    if shown.json:
        call.print(_json({"ok": False, "error": {"code": name, "message": error.message, "hint": hint}}))
        return code
    report = fence_error(error, f"{error.message} ({name})", hint)
    call.report(report if call.fenced else unfence(report))
    return code


async def _print(given: Given, answer: VerbAnswer) -> int:
    call, shown, frame = given.call, given.shown, answer.frame
    for note in answer.notes:
        call.report(in_terminal(note))
    if shown.csv is not None and frame is None and answer.code == OK:
        return _without_rows(given, answer)
    if shown.csv is not None and frame is not None:
        if shown.csv == "-":
            call.print(await asyncio.to_thread(frame.skillbook.to_csv, index=False))
        else:
            path = given.path(shown.csv)
            try:
                await asyncio.to_thread(frame.skillbook.to_csv, path, index=False)
            except IncompleteRead as error:
                return _fail(call, shown, FAILED, error)
            except OSError as error:
                problem = StorageError(f"{path} can't be written: {error.strerror}", hint="")
                return _fail(call, shown, FAILED, problem, "file")
            call.report(f"{len(frame)} rows written to {path}")
        return answer.code
    if shown.json:
        data = {"ok": answer.code == OK, **answer.data}
        if "error" in data:
            data["error"] = {**data["error"], "hint": in_terminal(data["error"]["hint"])}
        if frame is not None:
            data["rows"] = json.loads(frame.to_json(orient="records", date_format="iso", force_ascii=False))
        call.print(_json(data))
        return answer.code
    fenced = call.fenced and not shown.plain
    text = tools_as_commands(answer.text)
    call.print(text if fenced else unfence(text))
    return answer.code


_HAVE_ROWS = {
    "run": "save it with a read of them: `skillbook extract`, then `skillbook save NAME --last N`",
    "workflow": "have it return a DataFrame",
}


def no_rows(verb: str, name: str) -> ExtractionError:
    """A file of rows was asked of a skill or workflow that gave none."""
    kind = "skill" if verb == "run" else verb
    hint = f"run it without --csv; for rows {_HAVE_ROWS[verb]}"
    return ExtractionError(f"the {kind} {name} was run and gave no rows, so no file was written", hint=hint)


def _without_rows(given: Given, answer: VerbAnswer) -> int:
    """No file is written; what was given else is printed."""
    call, shown, verb = given.call, given.shown, given.call.words[0]
    if answer.text and not shown.json:
        call.print(answer.text if call.fenced and not shown.plain else unfence(answer.text))
    return _fail(call, shown, FAILED, no_rows(verb, given.args["skill" if verb == "run" else verb]))


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)
