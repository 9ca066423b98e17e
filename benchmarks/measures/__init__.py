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
    diffs,
    elements,
    grids,
    hands,
    healing,
    held_requests,
    mapping,
    memory,
    names,
    ranking,
    replay,
    side_panel,
    snapshots,
    stagehand,
    starts,
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
    "hands": hands.measure,
    "diff": diffs.measure,
    "names": names.measure,
    "elements": elements.measure,
}
ALONE: dict[str, Callable[[Peers, Sites, int], Iterator[Figure]]] = {
    "replay": replay.measure,
    "map": mapping.measure,
    "table": tables.measure,
    "start": starts.measure,
    "terminal": terminal.measure,
    "memory": memory.measure,
    "stagehand": stagehand.measure,
    "grid": grids.measure,
    "healing": healing.measure,
    "ranking": ranking.measure,
    "held": held_requests.measure,
    "waiting": waiting.measure,
    "approvals": approvals.measure,
    "side_panel": side_panel.measure,
    "agents": agent_tokens.measure,
    "cells": agent_cells.measure,
}
