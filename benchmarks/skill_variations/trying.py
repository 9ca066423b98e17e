"""Records each case in four ways, and replays it on what varies."""

from __future__ import annotations

import json
import re
import sqlite3
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import ElementHandle, FloatRect, Locator
from playwright.sync_api import Error as PlaywrightError

import skillbook as sb
from benchmarks.peers import Peers, Tab
from benchmarks.skill_variations.cases import Act, Case
from benchmarks.skills.sites import Sites
from skillbook.errors import CommandTimeout, SkillbookError
from skillbook.io_thread import io
from skillbook.skill import Skill
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall

Way = Literal["by hand", "calls", "code", "afterwards"]
WAYS: tuple[Way, ...] = ("by hand", "calls", "code", "afterwards")
"""Recorded by hand, of calls, of a cell's code; done by hand without a recording, and saved afterwards."""
VARIATIONS = ("same input", "other input", "changed data", "left dirty", "bad input")
Ending = Literal["right", "refused", "needless", "unsure", "WRONG", "not saved", ""]
_SECONDS = 8.0


@dataclass(frozen=True)
class Tried:
    """What became of one replay."""

    case: Case
    way: Way
    variation: str
    ending: Ending
    said: str = ""


@dataclass
class Trials:
    """All replays of some cases.

    Parameters
    ----------
    peers : the browser, which a person's hands use too.
    model : answers with the code of a cell.
    folder : where skills are saved.
    """

    peers: Peers
    sites: Sites
    model: OpenAIServer
    folder: Path

    def run(self, case: Case, way: Way) -> list[Tried]:
        """Record it, and replay it on each variation that it has."""
        try:
            skill = self._record(case, way)
        except (SkillbookError, PlaywrightError, TimeoutError) as error:
            return [Tried(case, way, "recording", "not saved", str(error))]
        tried = []
        for variation in VARIATIONS:
            value = {"other input": case.other, "bad input": case.bad}.get(variation, case.example)
            left_out = not value or (variation == "changed data" and not case.change)
            if left_out or (variation == "left dirty" and not case.dirty):
                continue
            ending, said = self._try(case, skill, variation, value)
            tried.append(Tried(case, way, variation, ending, said))
        return tried

    def _begin_anew(self, case: Case) -> None:
        """Have an application that keeps what is done in it begin with its first data again."""
        if case.anew:
            self._ask(case, case.anew)

    def _ask(self, case: Case, path: str) -> Any:
        """What the application's server or database answers, past the browser."""
        if not path.startswith("/"):
            self.sites.url(case.app, "")  # it has a database once it has begun
            with sqlite3.connect(self.folder.parent / case.app / "people.db", timeout=10) as database:
                return [row[0] for row in database.execute(path)]
        with urllib.request.urlopen(self.sites.url(case.app, path)) as answer:
            return json.loads(answer.read())

    def _truth(self, case: Case, tab: Tab) -> Any:
        if not case.truth:
            return None
        if case.truth.startswith(("/", "select ")):
            return self._ask(case, case.truth)
        with suppress(PlaywrightError):  # the page is on its way elsewhere
            return tab.theirs.evaluate(f"() => {case.truth}")
        tab.theirs.wait_for_load_state()
        return tab.theirs.evaluate(f"() => {case.truth}")

    def _record(self, case: Case, way: Way) -> Skill:
        self._begin_anew(case)
        name = f"{case.name}-{way}".replace(" ", "-")
        with self.peers.open(self.sites.url(case.app, case.path), case.app, "body") as tab:
            _settle(tab)
            if way == "code":
                return self._record_code(case, tab, name)
            if way == "afterwards":
                return self._save_afterwards(case, tab, name)
            if way == "calls":
                with sb.recording(tab.ours, case.goal) as rec:
                    for act in case.acts:
                        _call(tab, act, case.example)
            else:
                rec = sb.record(tab.ours, case.goal)
                for act in case.acts:
                    if act.verb == "rows":
                        rec.extract(within=act.target)
                    else:
                        self._by_hand(tab, act, case.example, lambda: rec.steps)
            return rec.save_skill(name, self.folder, prove=False)

    def _record_code(self, case: Case, tab: Tab, name: str) -> Skill:
        lines = [_line(act, case.example) for act in case.acts]
        code = "\n".join([*lines, *(["found"] if lines[-1].startswith("found") else [])])
        self.model.script.extend([ToolCall("run_cell", {"code": code}), "Done."])
        run = sb.agent(tab.ours, case.goal, mode="cells", autonomy="all")
        try:
            run.run()
            while run.status == "waiting":
                io.sync(run._stepper.settled(), timeout=60)
                repr(run.pending)
                run.approve()
            return run.save_skill(name, self.folder, prove=False)
        finally:
            run.stop()

    def _save_afterwards(self, case: Case, tab: Tab, name: str) -> Skill:
        for act in case.acts:
            if act.verb == "rows":
                _call(tab, act, case.example)
            else:
                self._by_hand(tab, act, case.example, tab.ours.recent)
        return sb.save_skill(name, self.folder, page=tab.ours, goal=case.goal, prove=False)

    def _by_hand(self, tab: Tab, act: Act, value: str, known: Callable[[], Any]) -> None:
        """What a person's mouse and keyboard do, and wait until it is known."""
        before, text = repr(known()), act.value.format(value)
        if act.verb == "press":
            tab.theirs.keyboard.press(act.target)
        elif act.verb == "select":
            self._choose_by_hand(tab, act, text)
        else:
            _press(tab, _locate(tab, act.target.format(value)))
            if act.verb == "fill":
                tab.theirs.keyboard.press("ControlOrMeta+a")
                tab.theirs.keyboard.type(text)
        deadline = time.monotonic() + _SECONDS
        while repr(known()) == before and time.monotonic() < deadline:
            with suppress(PlaywrightError):  # the page is on its way elsewhere
                tab.theirs.evaluate("1")
        _settle(tab)

    def _choose_by_hand(self, tab: Tab, act: Act, text: str) -> None:
        field = _locate(tab, act.target)
        if field.evaluate("each => each.tagName") == "SELECT":
            field.focus()
            tab.theirs.keyboard.press("Home")
            while field.evaluate("each => each.selectedOptions[0].text.trim()") != text:
                tab.theirs.keyboard.press("ArrowDown")
            return
        _press(tab, field)
        option = tab.theirs.locator('[role="option"]:visible, .ant-select-item-option:visible').filter(
            has_text=re.compile(rf"^\s*{re.escape(text)}\s*$")
        )
        _press(tab, option.last)

    def _try(self, case: Case, skill: Skill, variation: str, value: str) -> tuple[Ending, str]:
        names = [one.name for one in skill.inputs if str(one.default) == case.example]
        if value != case.example and not names:
            return (
                "needless",
                f"{value!r} can't be given: its inputs are {[one.name for one in skill.inputs]}",
            )
        self._begin_anew(case)
        with self.peers.open(self.sites.url(case.app, case.path), case.app, "body") as tab:
            _settle(tab)
            if variation == "changed data":
                self._ask(case, case.change)
                tab.ours.goto(tab.ours.url)
            for act in case.dirty if variation == "left dirty" else ():
                _call(tab, act, value)
            before = self._truth(case, tab)
            given = dict.fromkeys(names, value) if value != case.example else {}
            result = skill.run(tab.ours, inputs=given, approve=skill.digest)
            _settle(tab)
            now = self._now(case, tab, result)
            return _ending(case, variation, value, result, before, now)

    def _now(self, case: Case, tab: Tab, result: Any) -> Any:
        if case.truth:
            return self._truth(case, tab)
        frame = result.frame
        return sorted(map(str, frame[case.column])) if case.column in frame else []


def _ending(case: Case, variation: str, value: str, result: Any, before: Any, now: Any) -> tuple[Ending, str]:
    wanted = case.wanted(value, before)
    said = f"it is {json.dumps(now)}, and should be {json.dumps(wanted)}"
    if result.ok:
        return ("WRONG" if variation == "bad input" or now != wanted else "right"), said
    why = str(result.error)
    if result.status != "failed":
        return "unsure", why
    if variation == "bad input":
        return ("refused" if now in (before, []) else "WRONG"), why
    return "needless", why


def _settle(tab: Tab) -> None:
    with suppress(CommandTimeout):
        # What a cell waits for is an act, too, and kept.
        io.sync(tab.ours.driver.settled("rest", _SECONDS, again=True))


def _call(tab: Tab, act: Act, value: str) -> None:
    """The act as a call on the page."""
    text, target = act.value.format(value), act.target.format(value)
    if act.verb == "rows":
        sb.extract(tab.ours, within=target)
    elif act.verb == "press":
        tab.ours.press(target)
    elif act.verb in {"fill", "select"}:
        getattr(tab.ours, act.verb)(target, text)
    else:
        getattr(tab.ours, act.verb)(target)


def _line(act: Act, value: str) -> str:
    """The act as a line of a cell."""
    text, target = act.value.format(value), act.target.format(value)
    if act.verb == "rows":
        return f"found = sb.extract(page, within={target!r})"
    if act.verb in {"fill", "select"}:
        return f"page.{act.verb}({target!r}, {text!r})"
    return f"page.{act.verb}({target!r})"


def _locate(tab: Tab, selector: str) -> Locator:
    """What a selector names, for a person's mouse."""
    return tab.theirs.locator(tab.ours.get("css", selector)).first


def _press(tab: Tab, target: Locator) -> None:
    """Press it, or the label of a box that is drawn by its label."""
    shown = target.evaluate_handle(
        "each => each.type === 'radio' || each.type === 'checkbox' ? each.labels[0] : each"
    )
    element = shown.as_element()
    if element is None or (box := _box(element)) is None:
        raise TimeoutError(f"{target} has no place on the screen")
    tab.theirs.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def _box(element: ElementHandle) -> FloatRect | None:
    element.scroll_into_view_if_needed()
    return element.bounding_box()
