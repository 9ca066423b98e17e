"""skillbook: interactive browser automation for notebooks.

``import skillbook as sb``, then `sb.launch()` or `sb.connect()`, `browser.open(url)`, `page.snapshot()`.
Names are loaded when they are first used, so that importing stays fast.
"""

from __future__ import annotations

import importlib

from skillbook.wiring import wire

TYPE_CHECKING = False  # importing `typing` is a good part of what a command of a terminal costs

__version__ = "0.1.0"

_PLACES = {
    "Browser": "skillbook.session.sync",
    "Element": "skillbook.session.sync",
    "Page": "skillbook.session.sync",
    "launch": "skillbook.session.sync",
    "connect": "skillbook.session.sync",
    "browsers": "skillbook.session.browser_list",
    "aio": "skillbook.aio",
    "ActionResult": "skillbook.session.actions.result",
    "Node": "skillbook.perception.nodes.base_snapshot",
    "Snapshot": "skillbook.perception.snapshot",
    "Settings": "skillbook.config",
    "SkillbookError": "skillbook.errors",
    "secret": "skillbook.policy.secrets",
    "cassette": "skillbook.session.cassette",
    "agent": "skillbook.agents",
    "profiles": "skillbook.session.kept_profiles",
    "preferences": "skillbook.agents.state.session_context",
    "resume": "skillbook.agents",
    "serve": "skillbook.serving.service",
    "Run": "skillbook.agents",
    "Skill": "skillbook.skill",
    "load_journal": "skillbook.skill",
    "load_skill": "skillbook.skill",
    "record": "skillbook.skill.authoring.record",
    "save_skill": "skillbook.skill.authoring.record",
    "recording": "skillbook.skill.authoring.record",
    "skills": "skillbook.skill",
    "explore": "skillbook.exploration",
    "evaluate": "skillbook.evals.evaluation_run",
    "extract": "skillbook.extraction",
    "goals": "skillbook.goals",
    "grants": "skillbook.session.grant_book",
    "recover": "skillbook.extraction",
    "tables": "skillbook.extraction",
    "tools": "skillbook.agents.run.graph_tools",
    "watch": "skillbook.serving.watches.watch",
    "watches": "skillbook.serving.watches.watch",
    "workflow": "skillbook.serving.workflows.known_workflows",
    "workflows": "skillbook.serving.workflows.known_workflows",
    "enable_nested_asyncio": "skillbook.notebook",
    "load_ipython_extension": "skillbook.notebook",
}
_MODULES = {"aio", "goals"}

__all__ = [
    "ActionResult",
    "Browser",
    "Element",
    "Node",
    "Page",
    "Run",
    "Settings",
    "Skill",
    "SkillbookError",
    "Snapshot",
    "__version__",
    "agent",
    "aio",
    "browsers",
    "cassette",
    "connect",
    "enable_nested_asyncio",
    "evaluate",
    "explore",
    "extract",
    "goals",
    "grants",
    "launch",
    "load_ipython_extension",
    "load_journal",
    "load_skill",
    "preferences",
    "profiles",
    "record",
    "recording",
    "recover",
    "resume",
    "save_skill",
    "secret",
    "serve",
    "skills",
    "tables",
    "tools",
    "watch",
    "watches",
    "workflow",
    "workflows",
]

if TYPE_CHECKING:
    from typing import Any

    from skillbook import aio, goals
    from skillbook.agents import Run, agent, resume
    from skillbook.agents.run.graph_tools import tools
    from skillbook.agents.state.session_context import preferences
    from skillbook.config import Settings
    from skillbook.errors import SkillbookError
    from skillbook.evals.evaluation_run import evaluate
    from skillbook.exploration import explore
    from skillbook.extraction import extract, recover, tables
    from skillbook.notebook import enable_nested_asyncio, load_ipython_extension
    from skillbook.perception.nodes import Node
    from skillbook.perception.snapshot import Snapshot
    from skillbook.policy.secrets import secret
    from skillbook.serving.service import serve
    from skillbook.serving.watches.watch import watch, watches
    from skillbook.serving.workflows.known_workflows import workflow, workflows
    from skillbook.session.actions.result import ActionResult
    from skillbook.session.browser_list import browsers
    from skillbook.session.cassette.cassette import cassette
    from skillbook.session.grant_book import grants
    from skillbook.session.kept_profiles import profiles
    from skillbook.session.sync import Browser, Element, Page, connect, launch
    from skillbook.skill import Skill, load_journal, load_skill, skills
    from skillbook.skill.authoring.record import record, recording, save_skill


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module 'skillbook' has no attribute {name!r}")
    module = importlib.import_module(place)
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


wire()
