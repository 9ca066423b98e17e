"""A shop's pages, and what an agent did there, for tests of what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from skillbook.agents.state.step_records import StepRecord
from skillbook.perception.snapshot import Snapshot
from skillbook.skill.authoring.skill_writer import skill_from_recording
from skillbook.skill.facade import Skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.recording.recorded_steps import recording_of_run
from tests.trees import snapshot

SHOP = "http://127.0.0.1:8000"

HOME = """
navigation
  link "Contact" + href=/contact
search
  searchbox "Search products" + value=""
  combobox "Category" +
    option "Lamps"
    option "Chairs"
  button "Search" +
main
  heading "Welcome" level=1
"""

RESULTS = """
navigation
  link "Contact" + href=/contact
search
  searchbox "Search products" + value="desk lamp"
  button "Search" +
main
  heading "Results for desk lamp" level=1
  list
    listitem
      heading "Blue desk lamp" level=3
      link "Blue desk lamp" + href=/product/17
      "$5"
  link "Next" + href=/search?page=2
"""


def page(text: str, path: str = "/", **facts: Any) -> Snapshot:
    return snapshot(text, url=SHOP + path, **facts)


def step(tool: str, before: Snapshot | None = None, after: Snapshot | None = None, **args: Any) -> StepRecord:
    record = StepRecord(0, tool, args, "c1", before=before, after=after or before)
    record.url = record.after.url if record.after else ""
    return record


def skill_from_run(goal: str, steps: Iterable[StepRecord], name: str) -> Skill:
    """A skill of an agent's run."""
    return skill_from_recording(recording_of_run(goal, steps), name)


def make(goal: str, *steps: StepRecord) -> SkillSpec:
    return skill_from_run(goal, steps, "shop").spec


def search_steps(query: str = "desk lamp") -> list[StepRecord]:
    home, results = page(HOME), page(RESULTS, "/search?q=desk+lamp&sid=83ab37f7")
    filled = page(HOME.replace('value=""', f'value="{query}"'))
    return [
        step("snapshot", home),
        step("fill", home, filled, target="searchbox 'Search products'", value=query),
        step("snapshot", filled),
        step("click", filled, results, target="button 'Search'"),
        step("extract", results, fields={"name": "link"}),
    ]
