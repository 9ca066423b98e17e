"""Requests of a replay's steps that failed, compared with those that failed while the skill was recorded."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace

from skillbook.errors import CommandTimeout, PageClosed, ReplayFailed
from skillbook.session.page.act_requests import FailedRequest, failed_requests
from skillbook.session.page.unsettled import await_answers
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model import SkillSpec, SkillStep
from skillbook.skill.model.spec_parts import shape_of
from skillbook.skill.replay.skill_result import StepOutcome

REST_SECONDS = 1.0
"""How long a replay waits for a page that doesn't come to rest: it may send again what failed."""


class StepFailures:
    """What failed of each step's requests.

    Parameters
    ----------
    spec : the skill, which says what failed when it was recorded.
    driver : the page.
    key : the replay's id, for the journal.
    counts : whether anything is made of them here.
    """

    def __init__(self, spec: SkillSpec, driver: PageDriver, key: str, *, counts: bool = True) -> None:
        self._driver, self._key, self._counts = driver, key, counts
        self._steps: dict[int, SkillStep | None] = {0: None, **dict(enumerate(spec.all_steps, 1))}
        self._left = {0: Counter(spec.fails)}
        self._doing = [0]
        self._began = [(driver.actions + 1, 0)]
        self._judged: set[tuple[int, FailedRequest]] = set()

    def enter(self, index: int) -> None:
        """A step begins, perhaps inside of another one; again, if it is in a loop."""
        step = self._steps[index]
        began_before = any(known == index for _, known in self._began)
        if step is not None and (began_before or index not in self._left):
            self._left[index] = Counter(step.fails)
        self._doing.append(index)
        self._began.append((self._driver.actions + 1, index))

    def leave(self) -> None:
        """The step that began last ends."""
        self._doing.pop()
        self._began.append((self._driver.actions + 1, self._doing[-1]))

    async def check(self, outcomes: list[StepOutcome], *, waits: bool) -> None:
        """See that no request failed which didn't fail in the recording; a page that sends it again may do so.

        Parameters
        ----------
        outcomes : those of the steps that were reported: one whose request failed since wasn't ok.
        waits : whether the answers to what the last step requested are awaited.

        Raises
        ------
        ReplayFailed : one did.
        """
        if waits and self._counts and not self._driver.closed:
            await await_answers(self._driver)
        if self._first() is None:
            return
        with suppress(CommandTimeout, PageClosed):
            await self._driver.wait_for(idle=True, timeout=REST_SECONDS, actor="replay", run=self._key)
        found = self._first()
        if found is None:
            return
        index, request = found
        self._judged.add((index, request))
        error = self._error(index, request)
        for place, outcome in enumerate(outcomes):
            if outcome.index == index and outcome.status == "ok":
                outcomes[place] = replace(outcome, status="failed", error=error.message)
        raise error

    def words(self) -> str:
        """What failed and didn't fail in the recording, in words; empty for nothing."""
        found = self._first()
        return "" if found is None else f"; {found[1]} was requested, and failed"

    def _first(self) -> tuple[int, FailedRequest] | None:
        """The first failure that the skill doesn't name; it names each as often as it came in the recording."""
        for act in self._driver.acts.since(self._began[0][0]) if self._counts else ():
            index = next(index for first, index in reversed(self._began) if first <= act.number)
            step = self._steps[index]
            for request in failed_requests([act]):
                if (index, request) in self._judged or (step is not None and step.optional):
                    continue
                if not self._takes(index, request):
                    return index, request
                self._judged.add((index, request))
        return None

    def _takes(self, index: int, request: FailedRequest) -> bool:
        """Whether the skill says that this step's request failed, or an earlier one's; reports may come a step late."""
        following = self._steps.get(index + 1)
        if following is not None and index + 1 not in self._left:
            self._left[index + 1] = Counter(following.fails)
        for number in (index, index + 1, *range(index - 1, -1, -1)):
            left = self._left.get(number, Counter())
            for shape in left:
                if left[shape] > 0 and shape_of(shape).matches(request):
                    left[shape] -= 1
                    return True
        return False

    def _error(self, index: int, request: FailedRequest) -> ReplayFailed:
        step: SkillStep | None = self._steps[index]
        what = "it was started" if step is None else f"step {index} ({step.note or step.command}) was done"
        if index and index == self._doing[-1]:  # which one it is, the error says anyway
            what = "it was done"
        shape = " ".join(request.shape)
        place = f"step {index}" if index else "the skill"
        return ReplayFailed(
            f"{what}, but its request failed: {request}",
            hint=f"look at the page. If that belongs to it, give {place} in replay.yaml `fails: ['{shape}']`",
            request=str(request),
        )
