"""Every block of Python on these pages runs, in the page's order, as a reader would run it in one notebook.

A block that can't run here stands below a comment that says why: `<!-- not run: needs a model -->`.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import BaseMessage, ToolMessage

import skillbook as sb
from skillbook.testing import OpenAIServer
from skillbook.testing.scripted_model import ToolCall

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/index.md", "docs/async.md", "docs/own_agent.md")
LONGEST_LINE = 62
"""Characters: what is longer is cut off on a laptop's screen."""
_NOT_RUN = re.compile(r"<!-- not run: [^>]+ -->\s*\Z")


def blocks(page: str) -> Iterator[tuple[int, str, bool]]:
    """The line, the code, and whether it is to run, of each block."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
        line = text.count("\n", 0, found.start()) + 2
        yield line, found[1], _NOT_RUN.search(text[: found.start()]) is None


def answer(messages: list[BaseMessage]) -> Any:
    """A model that clicks once for each goal."""
    return (
        "Done." if isinstance(messages[-1], ToolMessage) else ToolCall("click", {"target": "button 'Search'"})
    )


@pytest.mark.parametrize("page", PAGES)
def test_every_block_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "a_page"}
    found = [(line, code) for line, code, runs in blocks(page) if runs]
    before = {browser.driver for browser in sb.browsers}

    async def run() -> None:
        for line, code in found:
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            waits = eval(compile(code, f"{page}:{line}", "exec", flags=flags), names)
            if inspect.isawaitable(waits):
                await waits

    with OpenAIServer(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        try:
            if any("await " in code for _, code in found):
                asyncio.run(run())
            else:
                for line, code in found:
                    exec(compile(code, f"{page}:{line}", "exec"), names)
        finally:
            for browser in sb.browsers:
                if browser.driver not in before:
                    with suppress(sb.SkillbookError):
                        browser.close()


@pytest.mark.parametrize("page", PAGES)
def test_no_line_is_cut_off(page: str) -> None:
    long = [
        f"{page}:{line}"
        for start, code, _ in blocks(page)
        for line, text in enumerate(code.split("\n"), start)
        if len(text) > LONGEST_LINE
    ]
    assert long == []
