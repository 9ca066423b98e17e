"""Who carries the tasks out: skillbook's agent tools, and other people's MCP servers, each by its own calls."""

from __future__ import annotations

import json
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import skillbook as sb
from benchmarks.tool_calls.mcp_peer import McpPeer
from benchmarks.tool_calls.scripted_tasks import ScriptedTask, Step
from skillbook.launcher.chromium_search import find_chromium
from skillbook.session.sync import Browser
from skillbook.testing import ScriptedModel, ToolCall

_MOST_CALLS = 30
Call = tuple[str, dict[str, Any]]


@dataclass
class Tally:
    """What a task took.

    Parameters
    ----------
    calls : tool calls.
    sent, received : characters of arguments and of answers.
    ms : time of the calls.
    text : the newest answer that shows a page.
    """

    calls: int = 0
    sent: int = 0
    received: int = 0
    ms: float = 0.0
    text: str = ""

    def count(self, call: Call, answer: str, ms: float) -> None:
        """Add one call."""
        self.calls += 1
        self.sent += len(call[0]) + len(json.dumps(call[1]))
        self.received += len(answer)
        self.ms += ms


class Contestant(ABC):
    """One set of tools. `pattern` finds an element's ref by `{role}` and `{name}`."""

    name: str
    pattern: str
    look: Call
    schemas: int = 0

    @abstractmethod
    def calls_of(self, step: Step, ref: str) -> Call:
        """The call that does a step."""

    @abstractmethod
    def carry_out(self, url: str, task: ScriptedTask) -> Tally:
        """Do a whole task."""

    def find(self, text: str, step: Step) -> str | None:
        """The ref of a step's element in a text; behind `after` the text of its row is searched first."""
        start = text.find(step.after) if step.after else 0
        if start < 0:
            return None
        pattern = self.pattern.format(role=step.role, name=re.escape(step.name))
        found = re.compile(pattern).search(text, start)
        return found[1] if found else None


class Served(Contestant):
    """Tools of an MCP server."""

    def __init__(self, peer: McpPeer) -> None:
        self.peer = peer
        self.schemas = peer.schemas

    @abstractmethod
    def open_call(self, url: str) -> Call:
        """The call that opens an address."""

    def carry_out(self, url: str, task: ScriptedTask) -> Tally:
        """Open, then look wherever the newest text doesn't have what comes next."""
        tally = Tally()
        self._call(tally, self.open_call(url))
        for step in task.steps:
            ref = self.find(tally.text, step) or self.find(self._call(tally, self.look), step)
            if ref is None:
                return tally
            self._call(tally, self.calls_of(step, ref))
        if task.shows and task.shows not in tally.text:
            self._call(tally, self.look)
        return tally

    def _call(self, tally: Tally, call: Call) -> str:
        began = time.perf_counter()
        answer = self.peer.call(*call)
        tally.count(call, answer, (time.perf_counter() - began) * 1000)
        tally.text = answer
        return answer


class PlaywrightMcp(Served):
    """Playwright MCP."""

    name = "Playwright MCP"
    pattern = r'{role} "{name}"[^\n]*?\[ref=(\w+)\]'
    look = ("browser_snapshot", {})

    def open_call(self, url: str) -> Call:
        """Navigate the tab."""
        return "browser_navigate", {"url": url}

    def calls_of(self, step: Step, ref: str) -> Call:
        """By ref."""
        if step.verb == "fill":
            return "browser_type", {"target": ref, "text": step.value}
        if step.verb == "select":
            return "browser_select_option", {"target": ref, "values": [step.value]}
        return "browser_click", {"target": ref}


class ChromeDevtoolsMcp(Served):
    """chrome-devtools-mcp; a snapshot comes with an act where it is wanted, which saves a call."""

    name = "chrome-devtools-mcp"
    pattern = r'uid=(\S+) {role} "{name}"'
    look = ("take_snapshot", {"pageId": 1})

    def open_call(self, url: str) -> Call:
        """Navigate the first page."""
        return "navigate_page", {"pageId": 1, "type": "url", "url": url}

    def calls_of(self, step: Step, ref: str) -> Call:
        """By uid."""
        shown = {"pageId": 1, "uid": ref, "includeSnapshot": True}
        return ("click", shown) if step.verb == "click" else ("fill", {**shown, "value": step.value})


class AgentBrowser(Served):
    """agent-browser."""

    name = "agent-browser"
    pattern = r'{role} "{name}"[^\n]*?ref=(\w+)'
    look = ("agent_browser_snapshot", {})

    def open_call(self, url: str) -> Call:
        """Navigate the tab."""
        return "agent_browser_open", {"url": url}

    def calls_of(self, step: Step, ref: str) -> Call:
        """By ref."""
        target = {"selector": f"@{ref}"}
        if step.verb == "fill":
            return "agent_browser_fill", {**target, "text": step.value}
        if step.verb == "select":
            return "agent_browser_select", {**target, "values": [step.value]}
        return "agent_browser_click", target


class Ours(Contestant):
    """The tools of `sb.agent`; what is irreversible is approved at once."""

    name = "skillbook"
    pattern = r'{role} "{name}"[^\n|]*?\[ref=((?:f\d+)?e\d+)\]'
    look = ("snapshot", {})

    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    def calls_of(self, step: Step, ref: str) -> Call:
        """By ref, as the others."""
        if step.verb == "fill":
            return "fill", {"target": ref, "value": step.value}
        return (
            ("select", {"target": ref, "values": [step.value]})
            if step.verb == "select"
            else ("click", {"target": ref})
        )

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
            run.approve()
        if task.shows and task.shows not in tally.text:
            tally.text = page.snapshot().text()
            tally.count(self.look, tally.text, 0.0)
        tally.ms = (time.perf_counter() - began) * 1000
        page.close()
        return tally


def servers() -> dict[str, Callable[[], Served]]:
    """How each of the others is started, on the same Chromium."""
    browser = str(find_chromium().path)
    own = {
        "AGENT_BROWSER_EXECUTABLE_PATH": browser,
        "AGENT_BROWSER_ARGS": "--no-sandbox",
        "AGENT_BROWSER_SESSION": f"bench-{os.getpid()}",
    }
    return {
        "Playwright MCP": lambda: PlaywrightMcp(
            McpPeer("@playwright/mcp/cli.js", "--headless", "--isolated", "--no-sandbox", "--executable-path", browser)
        ),
        "chrome-devtools-mcp": lambda: ChromeDevtoolsMcp(
            McpPeer(
                "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js", "--headless", "--isolated",
                "--executablePath", browser, "--chromeArg=--no-sandbox", "--usageStatistics=false",
            )
        ),
        "agent-browser": lambda: AgentBrowser(
            McpPeer("agent-browser/bin/agent-browser.js", "mcp", env=own, close="agent_browser_close")
        ),
    }  # fmt: skip
