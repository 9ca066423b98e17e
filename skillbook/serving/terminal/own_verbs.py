"""Verbs that aren't commands on a page: files, skills, recordings, approvals."""

from __future__ import annotations

import argparse
import asyncio
import base64
import os
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from skillbook.agents.fence import fence
from skillbook.errors import (
    ApprovalPending,
    InvalidInput,
    InvalidParams,
    MissingInput,
    NotAllowed,
    PolicyError,
    WorkflowNotFound,
)
from skillbook.hooks import hooks
from skillbook.limits import MOMENT_SECONDS
from skillbook.policy.urls import origin_of
from skillbook.protocol.asks.run_asks import RunView
from skillbook.serving.asking import answers_of, take_ask
from skillbook.serving.runs.served_run import FINAL_STATES, ServedRun
from skillbook.serving.terminal.terminal_run import Given, Verb, VerbAnswer, decision_on, question_lines
from skillbook.serving.terminal.verb_parser import pair
from skillbook.serving.workflows.known_workflows import workflows
from skillbook.session.action import lending
from skillbook.session.actions.page_file import PAPERS, checked_path, write_page
from skillbook.storage import storing

_SHOWN_REQUESTS = 50
_SHOWN_VALUE = 100
_ENDED_WELL = "succeeded"


def _parser(*arguments: tuple[tuple[str, ...], dict[str, Any]]) -> Callable[[argparse.ArgumentParser], None]:
    def add(parser: argparse.ArgumentParser) -> None:
        for names, options in arguments:
            parser.add_argument(*names, **options)

    return add


def _arg(*names: str, **options: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    return names, options


# --- files ---


async def _screenshot(given: Given) -> VerbAnswer:
    page, args = await given.run.use_tab(None), given.args
    path = checked_path(given.path(args["file"]), ".png", ".jpg", ".jpeg")
    options: dict[str, Any] = {
        "full_page": args["full_page"],
        "format": "png" if path.suffix.lower() == ".png" else "jpeg",
    }
    if args["target"] is not None:
        options["target"] = args["target"]
    data = await page.perform("screenshot", options)
    with storing(path):
        await asyncio.to_thread(path.write_bytes, base64.b64decode(data["data"]))
    size = f"{data['width']} × {data['height']}"
    return VerbAnswer(
        f"{path} ({size})", {"file": str(path), "width": data["width"], "height": data["height"]}
    )


async def _pdf(given: Given) -> VerbAnswer:
    page, (width, height) = await given.run.use_tab(None), PAPERS[given.args["paper"]]
    path = checked_path(given.path(given.args["file"]), ".pdf")
    options = {"landscape": given.args["landscape"], "background": True, "scale": 1.0, "pages": ""}
    await write_page(page, path, "pdf", width=width, height=height, **options)
    return VerbAnswer(str(path), {"file": str(path)})


async def _network(given: Given) -> VerbAnswer:
    network = (await given.run.use_tab(None)).network
    network.begin_soon()
    if network.failure is not None:
        raise network.failure
    frame = await asyncio.to_thread(hooks.tabulate_requests, network.requests())
    note = [] if len(frame) else ["requests are seen from now on: act, then call it again"]
    shown = frame.tail(_SHOWN_REQUESTS).to_string() if len(frame) else ""
    return VerbAnswer(fence(shown) if shown else "", frame=frame, notes=note)


# --- skills and workflows ---


async def _run_skill(given: Given) -> VerbAnswer:
    return await _start(given, "run_skill", name=given.args["skill"])


async def _run_workflow(given: Given) -> VerbAnswer:
    if given.args["workflow"] is None:
        listed = await take_ask(given.run.browser, "list_workflows", {})
        lines = [f"{each['name']}: {each['description']}" for each in listed["workflows"]]
        return VerbAnswer("\n".join(lines), listed)
    name = given.args["workflow"]
    if name not in workflows:
        raise WorkflowNotFound(
            f"there is no workflow {name!r}", hint="`skillbook workflow` lists them", name=name
        )
    inputs = ", ".join(f"{key}={value[:_SHOWN_VALUE]}" for key, value in _inputs(given).items())
    words = f"Run the workflow {name}{f' with {inputs}' if inputs else ''}: its code acts in your name"
    await given.run.decision("approve", words, risk="irreversible", second_press=True)
    with lending():  # the person approved this run, not that every program acts where its code goes
        return await _start(given, "run_workflow", name=name)


def _inputs(given: Given) -> dict[str, str]:
    return dict([*given.args["inputs"], *given.args["input"]])


async def _start(given: Given, ask: str, *, name: str) -> VerbAnswer:
    page, answers = await given.run.use_tab(None), await answers_of(given.run.browser)
    params = {"tab": page.tab.id, "name": name, "inputs": _inputs(given)}
    started = await take_ask(given.run.browser, ask, params)
    run = await answers.runs.find(started["run"])
    try:
        return _answer_of(given, run, await _follow(given, run))
    except asyncio.CancelledError:
        await run.stop()
        raise


async def _follow(given: Given, run: ServedRun) -> RunView:
    """Report a run's steps, and what it asks; returns when it is over, or when nobody answers in time."""
    seen, shown_id, left, words = 0, "", given.shown.deadline, ""
    while True:
        view = run.view()
        if view.status == "paused" and words != view.words:
            given.call.report(f"{view.words}: it goes on by Go on in the side panel")
        words = view.words
        for step in view.steps[seen:]:
            given.call.report_page(
                f"{step.number}.", ": ".join(filter(None, [step.words, step.outcome, step.error]))
            )
        seen = len(view.steps)
        if view.state in FINAL_STATES:
            return view
        question = view.question
        if question is not None and question.id != shown_id:
            shown_id, left = question.id, given.shown.deadline
            run.note_shown(question.id, given.run.place)
            if given.call.has_person:
                yes = await given.call.ask(question_lines(question))
                run.decide(decision_on(run.id, question, approve=yes), given.run.place)
                continue
            given.call.report_page("waits for a person:", question.words)
            given.call.report("answer with `skillbook approve`, or in the side panel")
        await asyncio.sleep(MOMENT_SECONDS)
        if question is not None:
            left -= MOMENT_SECONDS
            if left <= 0:
                await run.stop()
                raise TimeoutError(question.words)


def _answer_of(given: Given, run: ServedRun, view: RunView) -> VerbAnswer:
    rows = run.rows()
    texts = [output.text for output in view.outputs if output.text]
    facts = {name: value for output in view.outputs for name, value in output.facts.items()}
    lines = [*texts, *(f"{name}: {value}" for name, value in facts.items())]
    if rows and not lines:
        lines.append(rows[0].frame.to_string())
    data: dict[str, Any] = {"run": run.id, "state": view.state, "facts": facts, "texts": texts}
    text, notes = fence("\n".join(lines)) if lines else "", list[str]()
    if view.state == _ENDED_WELL:
        text = text or f"done: {run.title}"
    else:
        data["error"] = {"code": view.state, "message": view.error or view.words, "hint": view.hint}
        failed = f"{view.words}: {view.error}" if view.error else view.words
        notes.append(given.call.page_words(failed + (f"\ntry: {view.hint}" if view.hint else "")))
    frame, code = rows[0].frame if rows else None, 0 if view.state == _ENDED_WELL else 1
    error = getattr(run, "error", None)
    if isinstance(error, InvalidInput | MissingInput | PolicyError):
        code = 4 if isinstance(error, PolicyError) else 2
    return VerbAnswer(text, data, frame, code, notes)


async def _save(given: Given) -> VerbAnswer:
    """Save what was just done in the tab as a skill."""
    params = {"tab": (await given.run.use_tab(None)).tab.id, "last": given.args["last"]}
    await take_ask(given.run.browser, "start_recording", params)
    given.args["do"] = "save"
    return await _record(given)


async def _record(given: Given) -> VerbAnswer:
    """Start, show, mark, stop, save or drop a recording of what the person does."""
    driver, do, name = given.run.browser, given.args["do"], given.args["name"]
    if do == "save":
        if not name:
            raise InvalidParams("a skill needs a name", hint="skillbook record save NAME")
        saved = await take_ask(driver, "save_recording", {"name": name})
        saved["path"] = await asyncio.to_thread(
            os.path.abspath, saved["path"]
        )  # the service has another folder
        about = [
            saved["words"] and f"trial: {saved['words']}",
            saved["inputs"] and f"inputs: {saved['inputs']}",
        ]
        of_page = "\n".join(filter(None, about))  # errors of the trial and first values of inputs
        place = f"{saved['name']} is in {saved['path']}"
        return VerbAnswer(f"{place}\n{fence(of_page)}" if of_page else place, saved)
    params: dict[str, Any] = {}
    if do == "start":
        params = {"tab": (await given.run.use_tab(None)).tab.id, "goal": name}
    elif do == "input":
        step, _, as_name = name.partition("=")
        if not step.isdecimal():
            raise InvalidParams(
                f"{name!r} is no step", hint="skillbook record input STEP=NAME, such as 2=query"
            )
        params, do = {"mark": "input", "step": int(step), "name": as_name}, "mark"
    state = await take_ask(driver, f"{do}_recording", params)
    recording = state["recording"]
    if recording is None:
        return VerbAnswer("no recording", state)
    steps = [
        f"{step['number']}. {step['words']}" + (f" (input {step['input']})" if step["input"] else "")
        for step in recording["steps"]
    ]
    shown = f"{recording['state']}: {len(steps)} steps"
    return VerbAnswer(f"{shown}\n{fence(chr(10).join(steps))}" if steps else shown, state)


# --- the person's side ---


async def _questions(given: Given) -> list[ServedRun]:
    runs = (await answers_of(given.run.browser)).runs.live()
    return [run for run in runs if run.view().question is not None]


async def _decide(given: Given, word: Literal["approve", "reject"]) -> VerbAnswer:
    """Show what waits, and let the person at the terminal answer it.

    Where nobody sits, a question that this terminal hasn't shown yet is shown, and rejected the next time.
    """
    waiting = await _questions(given)
    if not waiting:
        return VerbAnswer("nothing waits for an answer", {"waiting": 0})
    if word == "approve" and not given.call.has_person:
        raise NotAllowed(
            "only a person approves, and nobody sits at this terminal",
            hint="run `skillbook approve` in a terminal of yours, or answer in the side panel",
        )
    lines, place, code = list[str](), given.run.place, 0
    for run in waiting:
        question = run.view().question
        if question is None:
            continue
        if given.call.has_person:
            run.note_shown(question.id, place)
            yes = await given.call.ask([*question_lines(question, run.title), f"{word}?"])
            if not yes and word == "reject":
                continue
        try:
            decided = run.decide(
                decision_on(
                    run.id,
                    question,
                    approve=word == "approve" and yes,
                    only_reads=bool(given.args.get("form")),
                ),
                place,
            ).words
        except ApprovalPending:
            run.note_shown(question.id, place)
            decided, code = "not decided, as it wasn't shown here before", 4
        lines.append(f"{decided}: {question.words}")
    return VerbAnswer(fence("\n".join(lines)) if lines else "", {"decided": lines}, code=code)


async def _allow(given: Given) -> VerbAnswer:
    """Have the person allow acting on an origin."""
    origin = origin_of(given.args["origin"])
    if origin is None:
        raise InvalidParams(f"{given.args['origin']!r} is no origin", hint="give such as https://example.com")
    policy = given.run.browser.gateway.policy
    if origin not in policy.allowed:
        await given.run.decision("approve", f"Allow the terminal to act on {origin}", risk="write")
        policy.allow(origin)
    return VerbAnswer(f"{origin} is allowed", {"origin": origin})


async def _status(given: Given) -> VerbAnswer:
    run, waiting = given.run, await _questions(given)
    page, state = run.page, run.browser.server.status.state
    lines = [f"browser: {state}", f"tab: {page.tab.id}" if page is not None else "tab: none yet"]
    questions = [question.words for each in waiting if (question := each.shown_view(run.place).question)]
    of_page = [f"address: {page.url}"] if page is not None else []
    of_page += [f"waits for an answer: {words}" for words in questions]
    if of_page:
        lines.append(fence("\n".join(of_page)))
    tab = page.tab.id if page is not None else None
    return VerbAnswer("\n".join(lines), {"browser": state, "tab": tab, "waiting": questions})


_INPUTS = (
    _arg(
        "inputs", nargs="*", default=[], type=pair, metavar="NAME=VALUE", help="inputs; a secret by its name"
    ),
    _arg("--input", action="append", default=[], type=pair, metavar="NAME=VALUE", help="the same"),
)
OWN_VERBS = (
    Verb(
        "screenshot", "Take a screenshot into a file.",
        _parser(
            _arg("file", nargs="?", default="screenshot.png", help="ends in .png or .jpg (%(default)s)"),
            _arg("--target", help="only this element"),
            _arg("--full-page", action="store_true", help="the whole page"),
        ), _screenshot,
    ),
    Verb(
        "pdf", "Print the page into a PDF file.",
        _parser(
            _arg("file", nargs="?", default="page.pdf", help="ends in .pdf (%(default)s)"),
            _arg("--paper", choices=sorted(PAPERS), default="A4", help="its size (%(default)s)"),
            _arg("--landscape", action="store_true", help="the paper lies on its side"),
        ), _pdf,
    ),
    Verb("network", "List what the page requested.", _parser(), _network, rows=True),
    Verb(
        "run", "Run a skill on the page.",
        _parser(_arg("skill", help="its name"), *_INPUTS), _run_skill, rows=True,
    ),
    Verb(
        "workflow", "Run a workflow on the page; without a name, list them.",
        _parser(_arg("workflow", nargs="?", help="its name"), *_INPUTS), _run_workflow, rows=True, on_page=False,
    ),
    Verb(
        "record", "Record what a person does in the page, as a skill.",
        _parser(
            _arg("do", choices=["start", "show", "input", "stop", "save", "drop"], help="what to do with it"),
            _arg(
                "name", nargs="?", default="",
                help="start: what it is for; input: STEP=NAME, whose value each run may give; save: the skill's name",
            ),
        ), _record, on_page=False,
    ),
    Verb(
        "save", "Save what was just done in the tab as a skill.",
        _parser(
            _arg("name", help="the skill's name"),
            _arg("--last", type=int, default=12, help="how many of the last acts (%(default)s)"),
        ), _save,
    ),
    Verb(
        "approve", "Show what waits for a person, and ask them at this terminal.",
        _parser(_arg("--form", action="store_true", help="say that the form only reads: it asks no more")),
        partial(_decide, word="approve"),
        on_page=False, waits_turn=False,
    ),
    Verb(
        "reject", "Reject what waits for a person.", _parser(), partial(_decide, word="reject"),
        on_page=False, waits_turn=False,
    ),
    Verb(
        "allow", "Ask the person to allow acting on an origin.",
        _parser(_arg("origin", help="such as https://example.com")), _allow, on_page=False,
    ),
    Verb("status", "Show the browser, the tab, and what waits.", _parser(), _status, on_page=False, waits_turn=False),
)  # fmt: skip
