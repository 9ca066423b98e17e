"""Who carries the tasks out: other people's tools, each by its own calls, and what all have in common."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import tokens
from benchmarks.tool_calls.mcp_peer import INSTALLED, McpPeer, node
from benchmarks.tool_calls.scripted_tasks import ScriptedTask, Step
from skillbook.launcher.chromium_search import find_chromium

_SECONDS = 60.0
Call = tuple[str, Any]
"""A tool's name with its arguments, or a command with its words."""


@dataclass
class Tally:
    """What a task took.

    Parameters
    ----------
    calls : tool calls.
    sent, received : characters of arguments and of answers.
    tokens : of both.
    ms : time of the calls.
    text : the newest answer that shows a page.
    """

    calls: int = 0
    sent: int = 0
    received: int = 0
    tokens: int = 0
    ms: float = 0.0
    text: str = ""

    def count(self, call: Call, answer: str, ms: float) -> None:
        """Add one call."""
        said = " ".join(call[1]) if isinstance(call[1], list) else json.dumps(call[1])
        self.calls += 1
        self.sent += len(call[0]) + len(said)
        self.received += len(answer)
        self.tokens += tokens(f"{call[0]} {said}") + tokens(answer)
        self.ms += ms


class Contestant(ABC):
    """One set of tools.

    `pattern` finds an element's ref by `{role}` and `{name}`; `read_first` is what a model has to know before it calls.
    """

    name: str
    pattern: str
    look: Call
    read_first: str = ""

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


class Caller(Contestant):
    """Somebody whose calls are made one by one."""

    @abstractmethod
    def answer(self, call: Call) -> str:
        """Make a call; what a model would get."""

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
        answer = self.answer(call)
        tally.count(call, answer, (time.perf_counter() - began) * 1000)
        tally.text = answer
        return answer


class Served(Caller):
    """Tools of an MCP server."""

    def __init__(self, peer: McpPeer) -> None:
        self.peer = peer
        self.read_first = peer.schemas

    def answer(self, call: Call) -> str:
        """Over the protocol."""
        return self.peer.call(*call)


class Typed(Caller):
    """Commands of a terminal, each a process of its own whose output the model reads.

    Parameters
    ----------
    command : comes before each verb.
    env : more environment variables.
    guides : files that explain the commands to a model.
    """

    def __init__(self, command: Sequence[str], env: dict[str, str], guides: Sequence[Path]) -> None:
        self._command, self._env = command, {**os.environ, **env}
        self.read_first = "\n".join(guide.read_text("utf-8") for guide in guides)

    def answer(self, call: Call) -> str:
        """What the command prints."""
        return subprocess.run(
            [*self._command, call[0], *call[1]], capture_output=True, text=True, env=self._env, timeout=_SECONDS,
            check=False,
        ).stdout  # fmt: skip


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


class AgentBrowserCommands(Typed):
    """agent-browser's command line."""

    name = "agent-browser, commands"
    pattern = AgentBrowser.pattern
    look: Call = ("snapshot", [])

    def open_call(self, url: str) -> Call:
        """Navigate the tab."""
        return "open", [url]

    def calls_of(self, step: Step, ref: str) -> Call:
        """By ref."""
        return step.verb, [f"@{ref}", *([step.value] if step.value else [])]


@contextmanager
def others() -> Iterator[list[Contestant]]:
    """Other people's tools, started on the same Chromium."""
    browser = str(find_chromium().path)
    playwright = node(
        "@playwright/mcp/cli.js", "--headless", "--isolated", "--no-sandbox", "--executable-path", browser
    )
    devtools = node(
        "chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js", "--headless", "--isolated",
        "--executablePath", browser, "--chromeArg=--no-sandbox", "--usageStatistics=false",
    )  # fmt: skip
    agent = node("agent-browser/bin/agent-browser.js")
    own, commands = (
        {
            "AGENT_BROWSER_EXECUTABLE_PATH": browser,
            "AGENT_BROWSER_ARGS": "--no-sandbox",
            "AGENT_BROWSER_SESSION": f"bench-{os.getpid()}-{kind}",
        }
        for kind in ("mcp", "commands")
    )
    package = INSTALLED / "node_modules" / "agent-browser"
    guides = [package / "skills" / "agent-browser" / "SKILL.md", package / "skill-data" / "core" / "SKILL.md"]
    typed = AgentBrowserCommands(agent, commands, guides)
    with McpPeer(playwright) as first, McpPeer(devtools) as second:
        with McpPeer([*agent, "mcp"], env=own, close="agent_browser_close") as third:
            try:
                yield [PlaywrightMcp(first), ChromeDevtoolsMcp(second), AgentBrowser(third), typed]
            finally:
                typed.answer(("close", []))
