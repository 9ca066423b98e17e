"""Recording a page: what hands or Python calls do from now on, or what just happened in a shared tab."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillbook.errors import InvalidInput, InvalidSkill, SkillbookError
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.secrets import Secret
from skillbook.session.browser_driver import open_drivers
from skillbook.session.page.recent_acts import RecentAct
from skillbook.session.page_driver import PageDriver, driver_of
from skillbook.skill.authoring.demonstration import Demonstration, marked
from skillbook.skill.facade import Skill
from skillbook.skill.model.spec_steps import STEP_COMMANDS
from skillbook.skill.recording.gesture_steps import GestureSteps, step_of_call
from skillbook.skill.recording.literals import Literals, field_name
from skillbook.skill.recording.recorded_steps import RecordedStep, fold_in, leads_to
from skillbook.skill.recording.written_parts import words_of

if TYPE_CHECKING:
    from pandas import DataFrame

    from skillbook.session.aio import Page as AioPage
    from skillbook.session.sync import Page


def record(page: Page | AioPage, goal: str = "") -> Demonstration:
    """Record what a person does in a page by hand, until `stop()` or `save_skill()`; in a `with` block, Python calls.

    Steps appear in the notebook as they are done, and in a corner of the page. What is typed into password fields
    stays in the page: the step names a secret.

    Parameters
    ----------
    page : Page or AioPage
        The page to do it on.
    goal : str
        What it is for; texts in it that are typed or chosen become inputs. `rec.input(number)` marks others.

    Returns
    -------
    Demonstration
        The recording under way.

    Examples
    --------
    >>> rec = sb.record(page, "Search for lamp")  # doctest: +SKIP
    >>> rec.save_skill("search-products")  # doctest: +SKIP

    >>> with sb.record(page, "Search for lamp") as rec:  # doctest: +SKIP
    ...     page.fill("searchbox", "lamp")
    ...     page.press("Enter")
    >>> rec.save_skill("search-products")  # doctest: +SKIP
    """
    return _begin(Demonstration(driver_of(page), goal))


def recording(page: Page | AioPage, goal: str = "") -> Demonstration:
    """Record Python calls on a page, as `with sb.record(page) as rec:` does.

    Parameters
    ----------
    page : Page
        The page to do it on.
    goal : str
        What it is for; texts in it that are typed or chosen become inputs.

    Returns
    -------
    Demonstration
        The recording under way, for a `with` statement.

    Examples
    --------
    >>> with sb.recording(page, "Search for lamp") as rec:  # doctest: +SKIP
    ...     page.fill("searchbox", "lamp")
    ...     page.press("Enter")
    >>> rec.save_skill("search-products")  # doctest: +SKIP
    """
    return _begin(Demonstration(driver_of(page), goal, "calls"))


def check_free(driver: PageDriver) -> None:
    """Refuse to record a page twice.

    Raises InvalidSkill: it is recorded already.
    """
    if driver.on_done is not None or driver.on_gesture is not None:
        raise InvalidSkill("this page is recorded already", hint="stop that recording first")


def _begin(made: Demonstration) -> Demonstration:
    check_free(made.driver)
    made.start()
    if hooks.recording_started is not None:
        hooks.recording_started(made)
    return made


_WHO = {"person": "cell", "agent": "agent", "replay": "skill", "hands": "by hand"}
_COLUMNS = ["number", "time", "who", "act", "record", "input", "url"]


@dataclass(frozen=True)
class _Then:
    """A page as it was at a gesture, for what makes steps of gestures."""

    page: PageDriver
    latest: Snapshot | None
    url: str

    def __getattr__(self, name: str) -> Any:
        return getattr(self.page, name)


@dataclass(frozen=True)
class RecentStep:
    """An act with the step that it would be, and the input that is proposed for it; empty for none."""

    act: RecentAct
    step: RecordedStep
    input: str


def recent_steps(driver: PageDriver) -> list[RecentStep]:
    """The acts of a tab that can be steps of a skill, in order."""
    gestures, found = GestureSteps(driver), list[RecentStep]()
    acts = {act.number: act for act in driver.recent}
    for step in _steps_of(acts.values(), driver, gestures):
        act = acts[step.number]
        gestures.note_url(step.url_before)
        steps = [found[-1].step] if found and act.who == found[-1].act.who else []
        count = len(steps)
        fold_in(steps, step, by_hand=act.who == "hands")
        if count and len(steps) == count:
            act = replace(act, number=found.pop().act.number)
        last = replace(steps[-1], number=act.number)
        found.append(RecentStep(act, last, _proposed(last, act)))
    for typed, chosen in pairwise(range(len(found))):
        if found[typed].input and leads_to(found[typed].step, found[chosen].step):
            found[chosen] = replace(found[chosen], input=found[typed].input)
            found[typed] = replace(found[typed], input="")
    return [
        replace(each, step=replace(each.step, url_after=each.step.url_after or following))
        for each, following in zip(found, [*(one.step.url_before for one in found[1:]), driver.url], strict=False)
    ]  # fmt: skip


def _steps_of(
    acts: Iterable[RecentAct], driver: PageDriver, gestures: GestureSteps
) -> Iterator[RecordedStep]:
    """The steps that acts are, each with its act's number, one by one: where one was done tells what the next is."""
    for act in acts:
        if act.done.command not in STEP_COMMANDS:
            continue
        if act.who != "hands":
            yield from gestures.ended(act.done.before)
            yield replace(step_of_call(act.done, act.latest, act.url), number=act.number)
            continue
        gestures.driver = _Then(driver, act.latest, act.url)  # type: ignore[assignment]
        gestures.begin()
        with suppress(SkillbookError):  # on a page that is never read
            yield from gestures.steps_of(act.done, act.number)
    yield from gestures.ended(driver.latest)


def _proposed(step: RecordedStep, act: RecentAct) -> str:
    """The input that what was typed or chosen may be."""
    text = step.params.get(step.spec.text_param or "") if step.spec else None
    if isinstance(text, Secret) or not (str(text or "").strip() or step.params.get("values")):
        return ""
    found = getattr(act.done, "found", None)
    return field_name(step.node or (found.node if found is not None else None))


def recent_frame(page: Any) -> DataFrame:
    """The last acts of a tab as a table; see `Page.recent`."""
    import pandas as pd

    rows = [
        (
            each.act.number, pd.Timestamp(each.act.time, unit="s", tz="UTC").tz_convert(None).floor("s")
            + pd.Timedelta(seconds=time.localtime(each.act.time).tm_gmtoff),
            _WHO[each.act.who], words_of(each.step), _record(each), each.input, each.step.url_before,
        )
        for each in recent_steps(driver_of(page))
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=_COLUMNS).set_index("number")


def _record(each: RecentStep) -> str:
    found = getattr(each.act.done, "found", None)
    return found.record if found is not None else ""


def recording_of_recent(
    page: Any,
    last: int | None = None,
    steps: Sequence[int] | None = None,
    inputs: Mapping[int, str] | Sequence[int] | None = None,
    goal: str = "",
) -> Demonstration:
    """The last acts of a tab as a recording that has ended: its steps can be marked, deleted and saved.

    last, steps, inputs: see `save_skill`.
    Raises InvalidInput: nothing is kept, or there are no such acts.
    """
    driver = driver_of(page)
    known = recent_steps(driver)
    if not known:
        why = (
            "SKILLBOOK_KEPT_ACTS is 0"
            if not driver.recent.most
            else "nothing was done in this tab since it was shared"
        )
        raise InvalidInput(f"there is nothing to save: {why}", hint="do it once, then save it")
    if last is not None and last < 1:
        raise InvalidInput(f"last={last} names no act", hint=f"1 to {len(known)}")
    numbers = {each.act.number: each for each in known}
    wanted = list(numbers)[-(last or len(known)):] if steps is None else sorted(set(steps))  # fmt: skip
    if missing := [number for number in wanted if number not in numbers]:
        raise InvalidInput(
            f"there is no act {missing[0]}", hint=f"page.recent() has {', '.join(map(str, numbers))}"
        )
    chosen = [numbers[number] for number in wanted]
    marks = inputs if isinstance(inputs, Mapping) else None if inputs is None else dict.fromkeys(inputs, "")
    if marks and (unknown := [number for number in marks if number not in wanted]):
        raise InvalidInput(f"act {unknown[0]} isn't one of those to be saved", hint="see page.recent()")
    named: dict[str, str] = {}
    made = Demonstration(driver, goal, "calls", "stopped", in_the_middle=not chosen[0].act.fresh)
    for each in chosen:
        number, step = each.act.number, replace(each.step, number=0, input=each.input)
        if marks is not None:
            name = marks.get(number) or each.input
            step = marked(step, name, f"act {number}") if number in marks else replace(step, input="")
            _check_name(step, marks.get(number, ""), named)
        made.take(step)
    made.note_after(_after(driver, known, chosen[-1]))
    made.remembers_approvals = all(each.act.who in {"person", "hands"} for each in chosen)
    return made


def _check_name(step: RecordedStep, name: str, named: dict[str, str]) -> None:
    """Refuse a second name for a text that is an input already; two short texts may be equal by chance."""
    text = str(step.params.get(step.spec.text_param or "") or step.called) if step.spec else ""
    if not name or not Literals.is_one_input(text):
        return
    if (other := named.setdefault(text, name)) != name:
        raise InvalidInput(
            f"{other!r} and {name!r} are one input, as both are {text!r} in what was done",
            hint="give both the same name, or name one of them",
        )


def _after(driver: PageDriver, known: Sequence[RecentStep], last: RecentStep) -> Snapshot | None:
    """What the page became after an act: as it was before the next one, or as it is now."""
    following = known[known.index(last) + 1 :]
    if not following:
        return None if driver.closed else io.sync(driver.snapshot_if_readable())
    before = following[0].step.before
    return before if isinstance(before, Snapshot) else None


def save_skill(
    name: str,
    folder: Path | str = "skills",
    *,
    last: int | None = None,
    steps: Sequence[int] | None = None,
    page: Page | AioPage | None = None,
    inputs: Mapping[int, str] | Sequence[int] | None = None,
    goal: str = "",
    description: str | None = None,
    overwrite: bool = True,
    prove: bool = True,
) -> Skill:
    """Save what was just done in a tab as a skill, without having recorded it.

    `page.recent()` lists the acts: of cells, agents and replayed skills, and what you did by hand in a browser with a
    window. What they sent wasn't watched, so the skill asks before its page sends anything that may change something.

    Parameters
    ----------
    name : str
        The skill's name, and its folder's.
    folder : Path or str
        Where skills are kept.
    last : int, optional
        How many of the last acts; all that are kept where neither this nor `steps` is given.
    steps : sequence of int, optional
        The numbers of the acts, as `page.recent()` has them.
    page : Page or AioPage, optional
        Where it was done; by default the tab in which something was done last.
    inputs : dict or sequence of int, optional
        The acts whose text or choice each run may give, by number, with names if you like. By default those that
        `page.recent()` proposes; `()` for none.
    goal : str
        What it is for.
    description : str, optional
        One or two sentences; the goal where it is None.
    overwrite : bool
        Replace a skill of that name.
    prove : bool
        Replay it at once in a tab of its own, where it does nothing irreversible. `skill.proof` says what came of it.

    Returns
    -------
    Skill
        The saved skill.

    Raises
    ------
    InvalidInput
        Nothing is kept, or there are no such acts. InvalidSkillName.
    InvalidSkill
        The acts make no skill, or there is one of that name.

    Examples
    --------
    >>> page.recent()  # doctest: +SKIP
    >>> sb.save_skill("search-products", last=3).run(page, query="lamp")  # doctest: +SKIP
    """
    made = recording_of_recent(page if page is not None else latest_page(), last, steps, inputs, goal)
    return made.save_skill(name, folder, description=description, overwrite=overwrite, prove=prove)


def latest_page() -> PageDriver:
    """The tab in which something was done last.

    Raises InvalidInput: nothing was done in any.
    """
    pages = [page for driver in open_drivers() for page in driver.pages.values() if len(page.recent)]
    if not pages:
        raise InvalidInput("nothing was done in any shared tab", hint="do it once, then save it")
    return max(pages, key=lambda page: list(page.recent)[-1].time)
