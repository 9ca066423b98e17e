"""The page state of other tools for agents, each in a separate environment, on the same pages and browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import venv
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from rich.console import Console

from benchmarks.apps import APPS, NotInstalled, serve_app
from benchmarks.figures import tokens
from benchmarks.pages import write_page
from benchmarks.peers import Peers
from benchmarks.sites import Sites

BROWSER_USE = "browser-use==0.13.14"
AGENT_BROWSER = "agent-browser@0.27.0"
_WORKER = Path(__file__).resolve().parent / "foreign/browser_use_state.py"
_LARGEST = 10_000
_SECONDS = 600


class NotThere(Exception):
    """A tool can't be had here."""


@dataclass(frozen=True)
class State:
    """One tool's state of one page: median milliseconds, tokens, elements with a number or ref."""

    tool: str
    page: str
    took_ms: float
    tokens: int
    elements: int


@dataclass
class States:
    """What was measured, and which tools could not be had, and why."""

    rows: list[State] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    def document(self) -> Iterator[str]:
        """As Markdown."""
        yield f"""
## Other tools' page state

{BROWSER_USE} (its `get_browser_state_summary` without screenshot, in a separate process over CDP) and {AGENT_BROWSER}
(`snapshot`, a program that queries its daemon: starting it is part of the time), in turns on the same browser and
pages, median. browser-use's state holds what is in or near the viewport; skillbook's and agent-browser's hold the whole
page. skillbook's time is a snapshot's and its full text's; its default text is what an agent is given.

| page | tool | ms | tokens | elements |
|---|---|---:|---:|---:|"""
        for row in self.rows:
            yield f"| {row.page} | {row.tool} | {row.took_ms:,.0f} | {row.tokens:,} | {row.elements:,} |"
        for tool, why in self.missing.items():
            yield f"\n{tool} could not be measured: {why}"


def compare_states(peers: Peers, sites: Sites, sizes: Sequence[int], rounds: int, console: Console) -> States:
    """Measure every tool that can be had on the synthetic pages (up to 10,000 elements) and the applications."""
    states = States()
    with ExitStack() as stack:
        urls = {f"{n:,} elements": sites.page(write_page(sites.folder, n)) for n in sizes if n <= _LARGEST}
        for app in APPS:
            folder = sites.folder / "states"
            folder.mkdir(exist_ok=True)
            try:
                urls[app.name] = stack.enter_context(serve_app(app, folder))
            except NotInstalled as error:
                console.print(f"{app.name}: {error}", markup=False)
        rows = list(_skillbook(peers, urls, rounds))
        for tool, measure in {BROWSER_USE: _browser_use, AGENT_BROWSER: _agent_browser}.items():
            console.print(f"[bold]{tool}[/]")
            try:
                rows += measure(peers.endpoint, urls, rounds)
            except (NotThere, subprocess.SubprocessError, OSError, ValueError) as error:
                states.missing[tool] = " ".join(str(error).split())[:300]
                console.print(states.missing[tool], markup=False)
    order = list(urls)
    states.rows = sorted(rows, key=lambda row: order.index(row.page))
    for row in states.rows:
        console.print(
            f"  {row.page}: {row.tool} {row.took_ms:,.0f} ms, {row.tokens:,} tokens", highlight=False
        )
    return states


def _skillbook(peers: Peers, urls: dict[str, str], rounds: int) -> Iterator[State]:
    for label, url in urls.items():
        page = peers.browser.open(url)
        page.wait_for(idle=True)
        took, text = [], ""
        for number in range(rounds + 1):
            started = time.perf_counter()
            snapshot = page.snapshot()
            text = snapshot.text(budget=None)
            if number:
                took.append((time.perf_counter() - started) * 1000)
        yield State("skillbook, whole page", label, median(took), tokens(text), len(snapshot.elements))
        text = snapshot.text()
        yield State("skillbook, default text", label, median(took), tokens(text), text.count("[ref="))
        page.close()


def _browser_use(endpoint: str, urls: dict[str, str], rounds: int) -> list[State]:
    python = cache_folder() / "browser-use/bin/python"
    if not python.exists():
        venv.create(python.parents[1], with_pip=True)
        run_quietly([str(python), "-m", "pip", "install", "-q", BROWSER_USE])
    lines = run_quietly([str(python), str(_WORKER), endpoint, str(rounds), *urls.values()]).splitlines()
    found = [json.loads(line) for line in lines if line.startswith('{"took"')]
    if len(found) != len(urls):
        raise NotThere(f"it answered for {len(found)} of {len(urls)} pages")
    return [
        State("browser-use", label, median(each["took"]), tokens(each["text"]), each["elements"])
        for label, each in zip(urls, found, strict=True)
    ]


def _agent_browser(endpoint: str, urls: dict[str, str], rounds: int) -> list[State]:
    npm, folder = shutil.which("npm"), cache_folder() / "agent-browser"
    program = folder / "node_modules/.bin/agent-browser"
    if not program.exists():
        if npm is None:
            raise NotThere("there is no npm")
        folder.mkdir(parents=True, exist_ok=True)
        run_quietly([npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), AGENT_BROWSER])

    def ask(*arguments: str) -> str:
        return run_quietly([str(program), "--session", "skillbook-benchmarks", *arguments])

    ask("connect", endpoint.rsplit(":", 1)[1])
    rows = []
    try:
        for label, url in urls.items():
            ask("open", url)
            took, text = [], ""
            for number in range(rounds + 1):
                started = time.perf_counter()
                text = ask("snapshot")
                if number:
                    took.append((time.perf_counter() - started) * 1000)
            rows.append(State("agent-browser", label, median(took), tokens(text), text.count("ref=e")))
    finally:
        ask("close")
    return rows


def run_quietly(command: Sequence[str]) -> str:
    """Run a program of another environment quietly.

    Raises
    ------
    NotThere : it fails.
    """
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    quiet = {"ANONYMIZED_TELEMETRY": "false", "BROWSER_USE_LOGGING_LEVEL": "error"}
    done = subprocess.run(
        command, env=kept | quiet, capture_output=True, text=True, check=False, timeout=_SECONDS
    )
    if done.returncode:
        raise NotThere(f"{Path(command[0]).name} {command[1]} failed: {done.stderr.strip()[-200:]}")
    return done.stdout


def cache_folder() -> Path:
    """Where the other tools' environments are kept."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "skillbook-benchmarks"
