"""Every block on the pages for users runs: Python in the page's order as in one notebook, shell lines in a shell.

A block that can't run here stands below a comment that says why: `<!-- not run: needs a key -->`. All pages share one
browser: `sb.launch()` without options gives it to each of them.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import pty
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from langchain_core.messages import BaseMessage, ToolMessage

import skillbook as sb
from skillbook.testing import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from tests.prose import ROOT, user_pages
from tests.waiting import until

LONGEST_LINE = 62
"""Characters: what is longer is cut off on a laptop's screen."""
REASONS = ("needs a key", "needs a window", "needs another machine", "needs a package", "a sketch")
"""How the comment above a block that isn't run may begin; the rest says more."""
LANGUAGES = {"python", "sh", "text", "yaml", "json", "ini", "xml", "dockerfile", "toctree", "eval-rst"}
PAGES = [path.relative_to(ROOT).as_posix() for path in user_pages()]
SERVES = ("skillbook serve", "python -m skillbook.testing.site")
"""What runs until it is ended, in a terminal of its own."""
_BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```", re.M | re.S)
_NOT_RUN = re.compile(r"<!-- not run: ([^>]+) -->\s*\Z")
GOALS: dict[str, list[ToolCall]] = {
    "Put a cheap lamp into the cart": [
        ToolCall(
            "plan",
            {"tasks": [{"title": title} for title in ("Search for lamps", "Open the cheapest", "Add it")]},
        )
    ],
}
"""What the model does for a goal of the pages; for any other it clicks once."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    code: str
    reason: str
    """Why it isn't run, or nothing."""


def blocks(page: str, language: str = "") -> Iterator[Block]:
    """The blocks of a page, all or those in a language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        written = found[1].strip("{} ").split("}")[0]
        comment = _NOT_RUN.search(text[: found.start()])
        block = Block(
            page, text.count("\n", 0, found.start()) + 2, written, found[2], comment[1] if comment else ""
        )
        if language in ("", written):
            yield block


def with_blocks(language: str) -> list[str]:
    """The pages with blocks in a language that run."""
    return [page for page in PAGES if any(not block.reason for block in blocks(page, language))]


def answer(messages: list[BaseMessage]) -> Any:
    """A model that does what a goal of the pages needs, and is done."""
    text = "\n".join(str(message.content) for message in messages)
    calls = next((calls for goal, calls in GOALS.items() if goal in text), None)
    calls = calls or [ToolCall("click", {"target": "button 'Search'"})]
    done = sum(isinstance(message, ToolMessage) for message in messages)
    return calls[done] if done < len(calls) else "Done."


@pytest.fixture(scope="module")
def shared() -> Iterator[Any]:
    """The browser of all pages."""
    with sb.launch() as browser:
        yield browser


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the repository's skills to run in, and a model at hand."""
    shutil.copytree(ROOT / "skills", tmp_path / "skills")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_DOWNLOADS", str(tmp_path / "downloads"))
    with OpenAIServer(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield tmp_path


def run_cell(code: str, name: str, names: dict[str, Any]) -> Any:
    """Run a block; the value of its last line is shown, as below a cell."""
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    waits = [eval(compile(tree, name, "exec", flags=flags), names)]
    if isinstance(last, ast.Expr) and not inspect.isawaitable(waits[0]):
        value = eval(compile(ast.Expression(last.value), name, "eval", flags=flags), names)
        if not inspect.isawaitable(value):
            repr(value)
        waits = [value]
    elif isinstance(last, ast.Expr):
        waits.append(compile(ast.Expression(last.value), name, "eval", flags=flags))
    return waits


@pytest.mark.parametrize("page", with_blocks("python"))
def test_every_block_of_python_runs(
    page: str, shared: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: dict[str, Any] = {"__name__": "a_page"}
    before, variables = {browser.driver for browser in sb.browsers}, set(os.environ)
    launch: Callable[..., Any] = sb.launch
    monkeypatch.setattr(sb, "launch", lambda **options: launch(**options) if options else shared)

    async def run() -> None:
        for block in blocks(page, "python"):
            if block.reason:
                continue
            for waits in run_cell(block.code, f"{page}:{block.line}", names):
                value = eval(waits, names) if inspect.iscode(waits) else waits
                if inspect.isawaitable(value):
                    await value

    try:
        if any("await " in block.code for block in blocks(page, "python") if not block.reason):
            asyncio.run(run())
        else:
            for block in blocks(page, "python"):
                if not block.reason:
                    run_cell(block.code, f"{page}:{block.line}", names)
    finally:
        for name in os.environ.keys() - variables:
            del os.environ[name]
        for value in names.values():
            if isinstance(value, sb.Run):
                with suppress(sb.SkillbookError):
                    value.stop()
        for browser in sb.browsers:
            if browser.driver not in before:
                with suppress(sb.SkillbookError):
                    browser.close()
        for tab in shared.pages:
            with suppress(sb.SkillbookError):
                tab.close()


@pytest.mark.parametrize("page", PAGES)
def test_no_line_of_python_is_cut_off(page: str) -> None:
    long = [
        f"{page}:{line}"
        for block in blocks(page)
        if block.language in ("python", "sh")
        for line, text in enumerate(block.code.split("\n"), block.line)
        if len(text) > LONGEST_LINE
    ]
    assert long == []


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_its_language_and_why_it_is_not_run(page: str) -> None:
    found = list(blocks(page))
    assert [f"{page}:{block.line}" for block in found if block.language not in LANGUAGES] == []
    assert [block.reason for block in found if block.reason and not block.reason.startswith(REASONS)] == []


@pytest.mark.parametrize("page", with_blocks("yaml") + with_blocks("json"))
def test_every_block_of_data_can_be_read(page: str) -> None:
    for language in ("yaml", "json"):
        for block in blocks(page, language):
            assert isinstance(yaml.safe_load(block.code), dict | list), f"{page}:{block.line}"


class Shell:
    """A person's shell: what serves runs in terminals of its own, and each question is answered with yes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        for completions in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
            (folder / completions).mkdir(parents=True)
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = {
            **os.environ,
            "HOME": str(folder),
            "SKILLBOOK_HOME": str(self.home),
            "PATH": tools,
            "PYTHONPATH": str(ROOT),
            "TERM": "dumb",
        }
        self.servers: list[subprocess.Popen[bytes]] = []

    def serve(self, line: str) -> None:
        """Run what serves; the machine of the tests has no display."""
        command = f"exec {line}{' --headless' if line.startswith('skillbook serve') else ''}"
        log = (self.folder / f"serves-{len(self.servers)}.log").open("wb")
        started = subprocess.Popen(
            command, shell=True, cwd=self.folder, env=self.environment, stdout=log, stderr=log
        )
        self.servers.append(started)
        until(lambda: (self.folder / f"serves-{len(self.servers) - 1}.log").stat().st_size > 0)
        if line.startswith("skillbook serve"):
            until(lambda: (self.home / "terminal.address").exists())

    def run(self, script: str) -> None:
        """Run a block at a terminal; any line that fails ends it."""
        ours, theirs = pty.openpty()
        typed = subprocess.Popen(
            ["bash", "-e", "-c", script],
            cwd=self.folder,
            env=self.environment,
            start_new_session=True,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        shown = b""
        with suppress(OSError):
            while part := os.read(ours, 4096):
                shown += part
                if b"(y/n)" in part:
                    os.write(ours, b"y\n")
        os.close(ours)
        assert typed.wait() == 0, shown.decode("utf-8", "replace")

    def close(self) -> None:
        """End what serves."""
        for server in self.servers:
            server.terminate()
        for server in self.servers:
            server.wait()


@pytest.fixture
def shell(place: Path) -> Iterator[Shell]:
    made = Shell(place)
    yield made
    made.close()


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


@pytest.mark.parametrize("page", with_blocks("sh"))
def test_every_block_of_shell_runs(page: str, shell: Shell) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    for block in blocks(page, "python"):
        if block.code.startswith("# flows.py"):
            (shell.folder / "flows.py").write_text(block.code, encoding="utf-8")
    port = str(free_port())
    for block in blocks(page, "sh"):
        if block.reason:
            continue
        lines = block.code.replace("8123", port).replace("\\\n", "").splitlines()
        for line in lines:
            if line.startswith("pip install"):
                wanted = re.findall(r"skillbook\[([\w,]+)\]", line)
                assert {extra for each in wanted for extra in each.split(",")} <= set(extras)
            elif line.startswith(SERVES):
                shell.serve(line)
        rest = [line for line in lines if not line.startswith(("pip install", *SERVES))]
        if any(line and not line.startswith("#") for line in rest):
            shell.run("\n".join(rest))
