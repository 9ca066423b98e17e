"""What an agent sends to its model over tasks on real applications, against the loop before schemas were merged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.agent_runs.playing import play_tasks
from benchmarks.agent_runs.usage import Usage, usage_of
from benchmarks.figures import Figure
from benchmarks.peers import Peers
from benchmarks.sites import Sites

_BEFORE = Path(__file__).resolve().parents[1] / "agent_runs" / "before.json"
_GOAL = 0.6


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """Effective tokens of all tasks; the peer's were measured once, with the commit that `before.json` names.

    Raises
    ------
    AssertionError : a task was not solved, so that its tokens say nothing.
    """
    folder = sites.folder / "agent_runs"
    folder.mkdir()
    played = play_tasks(folder)
    unsolved = [name for name, one in played.items() if not one["solved"]]
    assert not unsolved, f"not solved: {', '.join(unsolved)}"
    known = json.loads(_BEFORE.read_text(encoding="utf-8"))
    before, now = Usage(), Usage()
    for name, one in played.items():
        before += Usage(**known["tasks"][name])
        now += usage_of(one["requests"], one["output_tokens"])
    note = (
        f"{now.calls} calls, input {now.input:,} against {before.input:,} tokens, of which schemas "
        f"{now.schemas:,} against {before.schemas:,}, output {now.output:,}"
    )
    yield Figure(
        "effective tokens of agents' runs",
        f"{len(played)} tasks",
        now.effective,
        before.effective,
        "tokens",
        "share",
        _GOAL,
        note,
        peer=f"the loop of {known['commit'][:7]}",
    )
