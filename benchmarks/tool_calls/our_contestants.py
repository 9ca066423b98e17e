"""skillbook's three ways in: tools of its agent, its MCP server, and its commands in a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import skillbook as sb
from benchmarks.tool_calls.contestants import Call, Contestant, Served, Tally, Typed
from benchmarks.tool_calls.mcp_peer import McpPeer
from benchmarks.tool_calls.scripted_tasks import ScriptedTask, Step
from skillbook.agents.control.controller import without_model
from skillbook.agents.state.run_context import RunContext
from skillbook.agents.tools.offered import make_offer, make_tools
from skillbook.session.sync import Browser
from skillbook.testing import ScriptedModel, ToolCall

_MOST_CALLS = 30
_SECONDS = 60.0
_GUIDE = Path(__file__).resolve().parents[2] / "skills" / "skillbook" / "SKILL.md"
_COMMAND = [sys.executable, "-m", "skillbook.cli"]
_PATTERN = r'{role} "{name}"[^\n|]*?\[ref=((?:f\d+)?e\d+)\]'


def _by_ref(step: Step, ref: str) -> Call:
    if step.verb == "fill":
        return "fill", {"target": ref, "value": step.value}
    if step.verb == "select":
        return "select", {"target": ref, "values": [step.value]}
    return "click", {"target": ref}


class Ours(Contestant):
    """The tools of `sb.agent`; what is irreversible is approved at once."""

    name = "skillbook, its agent"
    pattern = _PATTERN
    look: Call = ("snapshot", {})

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        tools = make_tools(
            RunContext(run_id="", goal="", page=None, choice=without_model()), allow_evaluate=False
        )
        offer = make_offer(tools.values(), files=False, sees=False)
        self.read_first = json.dumps(offer.schemas, separators=(",", ":"))

    def calls_of(self, step: Step, ref: str) -> Call:
        """By ref, as the others."""
        return _by_ref(step, ref)

    def carry_out(self, url: str, task: ScriptedTask) -> Tally:
        """Let a run make the calls; the page that it starts on counts as the answer to opening it."""
        tally, steps = Tally(), list(task.steps)
        began = time.perf_counter()
        page = self._browser.open(url)
        made: list[Call] = []

        def answer(messages: list[Any]) -> ToolCall | str:
            newest = str(messages[-1].text)
            tally.count(made[-1] if made else ("open", {"url": url}), newest, 0.0)
            tally.text = newest
            if len(made) >= _MOST_CALLS or not steps:
                return "done"
            ref = self.find(newest, steps[0])
            if ref is None and made and made[-1] == self.look:
                return "not found"
            made.append(self.look if ref is None else self.calls_of(steps.pop(0), ref))
            return ToolCall(*made[-1])

        run = sb.agent(
            page, task.name, ScriptedModel(answer), autonomy="all", remember=False, assist=False
        ).run()
        while run.pending is not None:
            repr(run.pending)  # a question must have been shown
            run.approve()
        if task.shows and task.shows not in tally.text:
            tally.text = page.snapshot().text()
            tally.count(self.look, tally.text, 0.0)
        tally.ms = (time.perf_counter() - began) * 1000
        page.close()
        return tally


class OurServer(Served):
    """`skillbook mcp`."""

    name = "skillbook mcp"
    pattern = _PATTERN
    look: Call = ("snapshot", {})

    def open_call(self, url: str) -> Call:
        """Navigate the tab."""
        return "open", {"url": url}

    def calls_of(self, step: Step, ref: str) -> Call:
        """By ref, as the others."""
        return _by_ref(step, ref)


class OurCommands(Typed):
    """`skillbook` in a terminal. A person sits there, who approves at once; the output is a model's."""

    name = "skillbook, commands"
    pattern = _PATTERN
    look: Call = ("snapshot", [])

    def open_call(self, url: str) -> Call:
        """Open a tab."""
        return "open", [url]

    def calls_of(self, step: Step, ref: str) -> Call:
        """By ref, as the others."""
        return step.verb, [ref, *([step.value] if step.value else [])]

    def answer(self, call: Call) -> str:
        """What the command prints."""
        ours, theirs = pty.openpty()
        try:
            os.write(ours, b"y\n" * 3)
            process = subprocess.Popen(
                [*self._command, call[0], *call[1]], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, text=True,
                env=self._env,
            )  # fmt: skip
            return process.communicate(timeout=_SECONDS)[0]
        finally:
            os.close(theirs)
            os.close(ours)


@contextmanager
def our_own() -> Iterator[list[Contestant]]:
    """Our three, each with a browser of its own."""
    with TemporaryDirectory() as folder:
        mine = {"SKILLBOOK_HOME": folder}
        with sb.launch() as browser, served(Path(folder)):
            with McpPeer([*_COMMAND, "mcp", "--headless", "--own-browser"], env=mine) as peer:
                yield [Ours(browser), OurServer(peer), OurCommands(_COMMAND, mine, [_GUIDE])]


@contextmanager
def served(home: Path) -> Iterator[None]:
    """`skillbook serve` with a browser, as a process of its own."""
    env = {**os.environ, "SKILLBOOK_HOME": str(home)}
    process = subprocess.Popen(
        [*_COMMAND, "serve", "--launch", "--headless"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )  # fmt: skip
    try:
        deadline = time.monotonic() + _SECONDS
        while not (home / "terminal.address").exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("`skillbook serve` didn't start")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(_SECONDS)
