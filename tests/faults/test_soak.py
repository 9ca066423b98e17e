"""A short soak; `make soak` runs the long one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.soak.report import write_report
from benchmarks.soak.runner import run_soak


@pytest.mark.more
async def test_eighty_actions_under_faults_lose_and_double_nothing(home: Path, tmp_path: Path) -> None:
    soak = await run_soak(80, every=16, seed=3)
    assert soak.story.actions == 80
    assert len(soak.story.recoveries) == 5
    assert soak.story.answers["ok"] > 60
    assert sum(soak.story.writes.sure.values()) > 2
    # A minute says nothing about memory.
    missed = [each for each in soak.findings if not each.met and "third" not in each.what]
    assert not missed
    write_report(soak, "a test", tmp_path)
    assert (tmp_path / "soak.md").read_text(encoding="utf-8").count("| met |") >= 8
    assert "<circle" in (tmp_path / "images/soak.svg").read_text(encoding="utf-8")
