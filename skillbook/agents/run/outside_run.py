"""A run whose calls come from another program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from skillbook.agents.control.outside_calls import OutsideCalls
from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_start import make_run
from skillbook.agents.state.run_cells import RunCells
from skillbook.agents.state.run_context import Autonomy, NewSites, OfferedAs, ReportProgress, RunContext
from skillbook.agents.state.run_tabs import RunTabs
from skillbook.agents.state.workflow_given import RunWorkflow
from skillbook.config import load_settings

_NAME_CHARACTERS = 40


def outside_run(
    page: Any,
    calls: OutsideCalls,
    tabs: RunTabs,
    *,
    autonomy: Autonomy,
    max_calls: int,
    cells: bool,
    names: Mapping[str, str],
    offered: Mapping[str, OfferedAs],
    new_sites: NewSites | None = None,
    only_origins: tuple[str, ...] = (),
    run_workflow: RunWorkflow | None = None,
    report: ReportProgress | None = None,
) -> Run:
    """Make a run that another program decides on; it isn't started.

    Parameters
    ----------
    page : the driver of the page that it begins on.
    calls : where its calls come from.
    tabs : the tabs that it may use.
    autonomy : which of its calls pass without a person.
    max_calls : how many it may make, which its caller counts.
    cells : whether it may send code, which is checked, shown and run in a sandbox.
    names : what the program knows the run's tools as.
    offered : how it knows each of them.
    new_sites : what a person allows who approves a call on an origin that isn't on the list.
    only_origins : the only ones that it may go to; empty for any.
    run_workflow : carries out a workflow of the person's; None where it may run none.
    report : takes how far a long call is.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", calls.name.lower())[:_NAME_CHARACTERS].strip("-") or "client"
    context = RunContext(
        run_id=f"mcp-{slug}-{uuid4().hex[:8]}",
        goal=f"What {calls.name} does here",
        page=page,
        choice=calls.choice(),
        autonomy=autonomy,
        max_steps=max_calls + 1,  # a run checks this before it hands the last call's answer over
        cells=RunCells() if cells else None,
        outside_names=names,
        offered=offered,
        vision=True,
        tabs=tabs,
        new_sites=new_sites,
        only_origins=only_origins,
        run_workflow=run_workflow,
        report=report,
    )
    return make_run(context, load_settings())
