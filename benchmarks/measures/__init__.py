"""One module a figure of the design; each yields `Figure`s."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.figures import Figure
from benchmarks.measures import (
    actions,
    agent_cells,
    agent_tokens,
    approvals,
    change,
    grids,
    healing,
    held_requests,
    names,
    replay,
    side_panel,
    snapshots,
    tables,
    terminal,
    texts,
    views,
    waiting,
)
from benchmarks.peers import Peers, Tab
from benchmarks.sites import Sites

PER_PAGE: dict[str, Callable[[Tab], Iterator[Figure]]] = {
    "snapshot": snapshots.measure,
    "change": change.measure,
    "text": texts.measure,
    "view": views.measure,
    "actions": actions.measure,
    "names": names.measure,
}
NOT_BY_DEFAULT = {"healing"}
"""What takes many minutes is taken where it is named."""
ALONE: dict[str, Callable[[Peers, Sites, int], Iterator[Figure]]] = {
    "replay": replay.measure,
    "table": tables.measure,
    "terminal": terminal.measure,
    "grid": grids.measure,
    "healing": healing.measure,
    "held": held_requests.measure,
    "waiting": waiting.measure,
    "approvals": approvals.measure,
    "side_panel": side_panel.measure,
    "agents": agent_tokens.measure,
    "cells": agent_cells.measure,
}
