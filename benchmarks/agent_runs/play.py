"""Plays the tasks with the version of skillbook that is on the path, and writes down what its model got.

    PYTHONPATH=CHECKOUT python benchmarks/agent_runs/play.py URLS.json OUT.json [cells]

With `cells` the model writes code instead of one call at a time. A program of its own, for another version plays the
same tasks. The model is a script behind an OpenAI-compatible server on loopback; the client is the real one.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cell_tasks import CELLS  # type: ignore[import-not-found]
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from tasks import TASKS  # type: ignore[import-not-found]

import skillbook as sb
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall

if TYPE_CHECKING:
    from benchmarks.agent_runs.tasks import Call, Task


def main() -> None:
    """Play every task on its application; those whose application isn't there are left out."""
    urls = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with_cells = "cells" in sys.argv[3:]
    with sb.launch(headless=True) as browser:
        played = {
            task.name: play(browser, urls[task.app] + task.path, task, with_cells)
            for task in TASKS
            if task.app in urls
        }
    Path(sys.argv[2]).write_text(json.dumps(played), encoding="utf-8")


def play(browser: Any, url: str, task: Task, with_cells: bool) -> dict[str, Any]:
    """One task: what the model got, how long it took, whether the page shows what it should, and which calls failed."""
    page = browser.open(url)
    calls = [_call(each) for each in CELLS[task.name]] if with_cells else task.calls
    steps = [ToolCall(name, args) for name, args in calls]
    mode = {"mode": "cells"} if with_cells else {}  # earlier versions have no modes
    with OpenAIServer([*steps, "It is done."]) as server:
        model = ChatOpenAI(model="scripted", base_url=server.base_url, api_key=SecretStr("none"))
        run = sb.agent(page, task.goal, model=model, autonomy="all", max_steps=100, **mode)
        began = time.perf_counter()
        run.run()
        while run.pending is not None:
            repr(run.pending)  # a question must have been shown
            run.approve()
        seconds = time.perf_counter() - began
        bodies = [request.body for request in server.requests]
    failed = [f"{step.tool}: {step.result[:200]}" for step in run.records if step.error]
    text = page.snapshot().text(budget=None)
    page.close()
    return {
        "solved": run.status == "succeeded" and task.shows in text,
        "failed": failed,
        "output_tokens": run.cost.output_tokens,
        "seconds": seconds,
        "made": sum("line" in step.extra for step in run.records),
        "requests": [{"tools": body["tools"], "messages": body["messages"]} for body in bodies],
    }


def _call(given: str | Call) -> Call:
    """What a model answers: a cell's code as a call, or another call as it is."""
    return ("run_cell", {"code": given}) if isinstance(given, str) else given


if __name__ == "__main__":
    main()
