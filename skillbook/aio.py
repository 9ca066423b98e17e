"""The async version: the same names as `skillbook`, for code with `await`.

`browser = await sb.aio.launch()` has pages whose methods are awaitable. `await sb.aio.extract(page)`, `tables` and
`explore` are the functions of `skillbook`, which return something to await if they get such a page; a run has
`await run.arun()`, a skill `await skill.arun(page)`. `await sb.aio.evaluate(tasks)` is the awaitable `evaluate`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from skillbook.session.aio import Browser, Element, Page, connect, launch

if TYPE_CHECKING:
    from skillbook import goals
    from skillbook.agents import Run, agent, resume
    from skillbook.evals.evaluation_run import evaluate_async as evaluate
    from skillbook.exploration import explore
    from skillbook.extraction import extract, recover, tables
    from skillbook.policy.secrets import secret
    from skillbook.session.cassette import cassette
    from skillbook.skill import Skill, load_journal, load_skill, skills
    from skillbook.skill.authoring.record import record, recording

__all__ = [
    "Browser",
    "Element",
    "Page",
    "Run",
    "Skill",
    "agent",
    "cassette",
    "connect",
    "evaluate",
    "explore",
    "extract",
    "goals",
    "launch",
    "load_journal",
    "load_skill",
    "record",
    "recording",
    "recover",
    "resume",
    "secret",
    "skills",
    "tables",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "evaluate":
        return importlib.import_module("skillbook.evals.evaluation_run").evaluate_async
    return getattr(importlib.import_module("skillbook"), name)


def __dir__() -> list[str]:
    return __all__
