"""Connects the layers: the one place that sets what lower layers leave open to upper ones.

It runs at `import skillbook`, also for each command of a terminal, and imports next to nothing; each hook imports what
it needs when it is called.
"""

from __future__ import annotations

import sys

from skillbook.hooks import hooks
from skillbook.pandas_import import add_accessor

TYPE_CHECKING = False  # importing `typing` is a good part of what a command of a terminal costs
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Any


def wire() -> None:
    """Set every hook, let a running IPython show pages, snapshots and runs, and give frames `df.skillbook`."""
    hooks.tabulate = _tabulate
    hooks.tabulate_journal = _tabulate_journal
    hooks.tabulate_requests = _tabulate_requests
    hooks.tabulate_metrics = _tabulate_metrics
    hooks.recent_acts = _recent_acts
    hooks.make_series = _make_series
    hooks.load_skill = _load_skill
    hooks.run_prompt = _run_prompt
    hooks.map_skill = _map_skill
    hooks.make_scout = _make_scout
    hooks.make_link_chooser = _make_link_chooser
    hooks.exploration_started = _in_notebook("show_exploration")
    hooks.carry_exploration = _carry_exploration
    hooks.browser_opened = _answer_asks
    hooks.run_started = _show_run
    hooks.run_awaited = _follow_run
    hooks.awaited_call = _awaited_call
    hooks.progress_line = _in_notebook("progress_line")
    hooks.recording_started = _show_recording
    hooks.skill_unapproved = _in_notebook("show_unapproved")
    hooks.show_frame = _in_notebook("show_frame")
    hooks.live_view = _in_notebook("live_view")
    hooks.site_hints = _site_hints
    hooks.clicks_blocked = _in_notebook("clicks_blocked", "environment")
    hooks.running_cell = _in_notebook("running_cell", "environment")
    hooks.running_request = _in_notebook("running_request", "cell_requests")
    hooks.pair_link = _in_notebook("show_pair_link")
    hooks.mimebundle = _in_notebook("page_bundle")
    hooks.snapshot_taken = _in_notebook("note_snapshot")
    hooks.page_is_shown = _in_notebook("page_is_shown")
    if "IPython" in sys.modules:
        _in_notebook("register_formatters")()
    add_accessor()


def _in_notebook(name: str, module: str = "display_wiring") -> Callable[..., Any]:
    """A function of the notebook's, whose module is imported at its first call."""

    def call(*args: Any) -> Any:
        from importlib import import_module

        return getattr(import_module(f"skillbook.notebook.{module}"), name)(*args)

    return call


def _tabulate(records: list[Any]) -> Any:
    from skillbook.extraction.frames.journal_frames import records_frame

    return records_frame(records)


def _tabulate_journal(steps: list[Any], requests: list[Any]) -> Any:
    from skillbook.extraction.frames.journal_frames import journal_frame

    return journal_frame(steps, requests)


def _tabulate_requests(requests: list[Any]) -> Any:
    from skillbook.extraction.frames.journal_frames import requests_frame

    return requests_frame(requests)


def _tabulate_metrics(before: Any, after: Any, is_other: bool) -> Any:
    from skillbook.extraction.frames.journal_frames import metrics_frame

    return metrics_frame(before, after, is_other)


def _recent_acts(page: Any) -> Any:
    from skillbook.skill.authoring.record import recent_frame

    return recent_frame(page)


def _make_series(values: dict[str, Any], name: str) -> Any:
    import pandas as pd

    return pd.Series(values, name=name, dtype="float64")


def _load_skill(name: str) -> Any:
    from skillbook.skill.library import skills

    return skills.load(name)


async def _run_prompt(page: Any, prompt: str, *, spec: Any, model: Any) -> Any:
    from skillbook.agents.run.outside_run import run_prompt

    return await run_prompt(page, prompt, spec=spec, model=model)


def _make_scout(model: Any, page: Any) -> Any:
    from skillbook.agents.control.scout import make_scout

    return make_scout(model, page)


def _make_link_chooser(model: Any) -> Any:
    from skillbook.agents.control.scout import make_link_chooser

    return make_link_chooser(model)


def _site_hints(url: str, home: Path) -> Any:
    from skillbook.config import skill_folders

    folders = [folder / "hints" for folder in skill_folders(home)]
    if not any(folder.is_dir() for folder in folders):
        return None  # this is called for each snapshot, and most people have none
    from skillbook.skill.hint_library import hints_for

    return hints_for(url, home)


def _map_skill(*args: Any, **options: Any) -> Any:
    from skillbook.scale import map_skill

    return map_skill(*args, **options)


async def _carry_exploration(search: Any) -> Any:
    from skillbook.serving.asking import carry_exploration

    return await carry_exploration(search)


def _answer_asks(driver: Any) -> None:
    from skillbook.serving.asking import answer_asks

    answer_asks(driver)


def _show_run(run: Any) -> None:
    from skillbook.serving.asking import note_run

    _in_notebook("show_run")(run)
    note_run(run)


def _follow_run(run: Any) -> AbstractContextManager[Any]:
    from skillbook.serving.asking import note_run

    note_run(run)
    followed: AbstractContextManager[Any] = _in_notebook("follow_run")(run)
    return followed


def _show_recording(rec: Any) -> None:
    from skillbook.serving.asking import note_recording

    _in_notebook("show_recording")(rec)
    note_recording(rec)


def _awaited_call() -> Any:
    from skillbook.session.awaited_call import AwaitedCall

    return AwaitedCall()
