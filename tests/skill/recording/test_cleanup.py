"""What is dropped when a skill is saved: only what certainly had no effect, shown, and kept on request."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from skillbook.agents.state.step_records import StepRecord
from skillbook.errors import InvalidInput
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.request_facts import RequestFact
from skillbook.skill.authoring.skill_writer import skill_from_recording
from skillbook.skill.facade import Skill
from skillbook.skill.recording.recorded_steps import RecordedStep, Recording, recording_of_run
from tests.trees import snapshot

URL = "http://127.0.0.1:8000/"
PAGE = """
main
  textbox "Name" + value="{name}"
  textbox "Password" + secret type=password
  checkbox "Gift" + {gift}
  button "Menu" +
  button "Copy" +
  button "Save" +
{more}
"""
MENU = 'menu "Menu"\n  menuitem "About" +\n'


def page(name: str = "", gift: str = "", more: str = "") -> Snapshot:
    return snapshot(PAGE.format(name=name, gift=gift, more=more), url=URL)


def step(command: str, target: str, before: Snapshot, after: Snapshot, **more: Any) -> RecordedStep:
    facts = {name: more.pop(name) for name in ("changed", "sent", "irreversible") if name in more}
    facts.setdefault("changed", before is not after)
    node = before.find(target)
    return RecordedStep(
        command, more, node, url_before=URL, url_after=URL, before=before, after=after, **facts
    )


def save(*steps: RecordedStep, held: bool = True, keep: tuple[int, ...] = ()) -> Skill:
    return skill_from_recording(Recording("Save", tuple(steps), held), "save", keep=keep)


def done(skill: Skill) -> list[str]:
    return [one.note for one in skill.spec.steps]


SAVE = step("click", "button 'Save'", page(), page("saved"))


def test_an_idle_click_is_folded_shown_and_kept_on_request() -> None:
    idle = step("click", "button 'Menu'", page(), page(), changed=False)
    skill = save(idle, SAVE)
    assert done(skill) == ["Click button 'Save'"]
    assert skill.dropped_steps == ("1. Click button 'Menu': it changed nothing",)
    assert "left out: 1" in skill._repr_html_()
    kept = save(idle, SAVE, keep=(1,))
    assert done(kept) == ["Click button 'Menu'", "Click button 'Save'"]
    assert kept.dropped_steps == ()


def test_a_download_is_kept_although_the_page_stays_as_it_was() -> None:
    before, after = page(), page()
    done_by_run = StepRecord(
        1, "download", {"target": "button 'Menu'"}, "c1", changed=False, url=URL, before=before, after=after,
        extra={"node": before.find("button 'Menu'"), "path": Path("report.pdf")},
    )  # fmt: skip
    recording = recording_of_run("Get the report", [done_by_run, run_step(SAVE)], held=True)
    skill = skill_from_recording(recording, "report")
    assert [one.command for one in skill.spec.steps] == ["download", "click"]


def test_a_goal_that_counts_from_today_says_which_day_that_was() -> None:
    recording = Recording("Save last month's report", (SAVE,), True)
    with pytest.warns(UserWarning, match="the goal counts from today"):
        skill = skill_from_recording(recording, "report")
    assert (
        skill.description
        == f"Save last month's report (as of {date.today()}: the steps are for what that meant then)"
    )
    assert skill_from_recording(recording, "report", "Save October's").description == "Save October's"


def test_what_a_person_filled_in_for_the_run_is_kept() -> None:
    filled = page("ann")
    by_hand = run_step(step("fill", "textbox 'Name'", filled, page("ann"), value="ann"), decision="person")
    recording = recording_of_run("Save", [by_hand, run_step(SAVE)], held=True)
    assert [one.command for one in skill_from_recording(recording, "save").spec.steps] == ["fill", "click"]


def run_step(done: RecordedStep, **more: Any) -> StepRecord:
    return StepRecord(
        1, done.command, dict(done.params), "c1", changed=done.changed, url=URL,
        before=done.before, after=done.after, extra={"node": done.node}, **more,
    )  # fmt: skip


def test_what_was_opened_and_closed_is_a_dead_end() -> None:
    opened = step("click", "button 'Menu'", page(), page(more=MENU))
    closed = step("click", "button 'Menu'", page(more=MENU), page())
    skill = save(opened, closed, SAVE)
    assert done(skill) == ["Click button 'Save'"]
    assert [one.split(":")[-1] for one in skill.dropped_steps] == [
        " the page was then as it had been before"
    ] * 2


def test_typing_that_was_cleared_and_a_tick_that_was_taken_back_are_folded() -> None:
    typed = step("fill", "textbox 'Name'", page(), page("x"), value="x")
    ticked = step("check", "checkbox 'Gift'", page("x"), page("x", "checked"))
    unticked = step("uncheck", "checkbox 'Gift'", page("x", "checked"), page("x"))
    cleared = step("clear", "textbox 'Name'", page("x"), page())
    assert done(save(typed, ticked, unticked, cleared, SAVE)) == ["Click button 'Save'"]
    by_hand = done(save(typed, ticked, unticked, cleared, SAVE, held=False))
    assert len(by_hand) == 5, (
        "what a person did had changed the page when it was read: nothing is known to be idle"
    )
    cleared_what_was_there = step("clear", "textbox 'Name'", page("x"), page())
    assert len(done(save(cleared_what_was_there, SAVE))) == 2


@pytest.mark.parametrize(
    "doubtful",
    [
        {"sent": (RequestFact("POST", "http://127.0.0.1:8000", "/save", "fetch"),)},
        {"changed": True},
        {"irreversible": True},
    ],
)
def test_in_doubt_a_step_is_kept(doubtful: dict[str, Any]) -> None:
    idle = step("click", "button 'Menu'", page(), page(), **({"changed": False} | doubtful))
    assert len(done(save(idle, SAVE))) == 2


def test_where_nobody_knows_what_was_sent_a_click_is_kept() -> None:
    idle = step("click", "button 'Menu'", page(), page(), changed=False)
    assert len(done(save(idle, SAVE, held=False))) == 2


def test_what_was_sent_late_keeps_the_step_before() -> None:
    idle = step("click", "button 'Menu'", page(), page(), changed=False)
    sent = (RequestFact("POST", "http://127.0.0.1:8000", "/save", "fetch"),)
    assert len(done(save(idle, step("click", "button 'Save'", page(), page("s"), sent=sent)))) == 2


def test_a_secret_shows_nothing_and_stays() -> None:
    typed = step("fill", "textbox 'Password'", page(), page(), value="hunter22")
    skill = save(typed, SAVE)
    assert len(done(skill)) == 2
    assert "hunter22" not in str(skill.dropped_steps)


def test_what_was_copied_is_pasted() -> None:
    copied = step("click", "button 'Copy'", page(), page(), changed=False)
    pasted = step("press", "textbox 'Name'", page(), page("x"), key="Control+V")
    saved = step("click", "button 'Save'", page("x"), page("saved"))
    assert len(done(save(copied, pasted, saved))) == 3


def test_rows_that_were_read_again_with_more_are_read_once() -> None:
    def read(**params: Any) -> RecordedStep:
        return RecordedStep("extract", params, url_before=URL, before=page())

    skill = save(read(fields={"a": "link"}), read(fields={"a": "link", "b": "heading"}))
    assert [one.extract.fields for one in skill.spec.steps if one.extract] == [{"a": "link", "b": "heading"}]
    assert len(skill.dropped_steps) == 1
    twice = (read(fields={"a": "link"}), read(fields={"b": "heading"}))
    by_hand = skill_from_recording(Recording("Save", twice, True, by_hand=True), "save")
    assert len(by_hand.spec.steps) == 2


def test_a_read_that_an_agents_later_read_replaces_goes() -> None:
    """A run gives the rows that were read last, and those that were added to them."""
    filter_ = step("click", "button 'Menu'", page(), page(more='  text "filtered"'))

    def read(more: str = "", **params: Any) -> RecordedStep:
        return RecordedStep("extract", params, url_before=URL, before=page(more=more))

    filtered = read('  text "filtered"')
    assert done(save(read(), filter_, filtered)) == ["Click button 'Menu'", "Read the rows"]
    assert len(save(read(), filter_, replace(filtered, params={"append": True})).spec.steps) == 3
    assert len(save(read(within="list 'A'"), read(within="list 'B'")).spec.steps) == 2
    kept = skill_from_recording(Recording("Save", (read(), filter_, filtered), True, by_hand=True), "save")
    assert [one.command for one in kept.spec.steps] == ["extract", "click", "extract"], (
        "a filter between two reads is no way to the next page"
    )


def test_a_step_that_only_looked_cant_be_kept() -> None:
    with pytest.raises(InvalidInput, match="only looked"):
        save(RecordedStep("snapshot", before=page()), SAVE, keep=(1,))
    with pytest.raises(InvalidInput, match="no such step"):
        save(SAVE, keep=(7,))
