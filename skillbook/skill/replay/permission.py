"""What a replay may do, and as whom: the origins that its skill lists, approvals, the state that signs it in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from skillbook.errors import ApprovalRequired, ConfigError, NotAllowed
from skillbook.perception.records import ChangedFact
from skillbook.policy.urls import origin_of
from skillbook.session.action import acting_name
from skillbook.session.gateway import Gateway
from skillbook.session.page_driver import PageDriver
from skillbook.session.saved_state import SavedState
from skillbook.session.state_keeping import bring_named, fill_tab, missing_part
from skillbook.skill.consent.granting import UsedGrant
from skillbook.skill.consent.send_allowlist import Approve, Question, answer_of, is_of_code
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_steps import Start
from skillbook.skill.model.templates import Value, fill_text, fill_url
from skillbook.skill.targets.confirmation import Confirmation

T = TypeVar("T")
_MOST_QUESTIONS = 6
"""Half of them are asked anew, where what the approval was for changed before the action."""


_MOST_CHANGES = 10


class Permission:
    """Decides for one replay.

    spec, inputs: the skill, and every input's value.
    gateway: issues the approvals.
    approve: see `skillbook.skill.replay.replayer.Replay`.
    place: gives the step that is carried out, and the page's address.
    """

    def __init__(
        self, spec: SkillSpec, inputs: Mapping[str, Value], gateway: Gateway, approve: Approve | None
    ) -> None:
        self._spec, self._inputs = spec, inputs
        self._gateway = gateway
        self._approve = approve
        self._origins = {origin_of(fill_text(origin, inputs)) for origin in spec.all_origins} - {None}
        self.place: Callable[[], tuple[int, str]] = lambda: (0, "")
        self.granted: UsedGrant | None = None

    def check_origin(self, url: str, what: str) -> None:
        """Refuse an address that is on none of the skill's origins.

        what: what is to be done there, for the error.
        """
        origin = origin_of(url)
        if origin not in self._origins:
            listed = ", ".join(sorted(str(one) for one in self._origins)) or "none"
            raise NotAllowed(
                f"{self._spec.name} may not {what} on {origin or url!r}",
                hint=f"its origins are: {listed}; open the page it was made for, or add the origin to replay.yaml",
                origin=origin,
            )

    async def with_approval(
        self,
        do: Callable[[str | None], Awaitable[T]],
        *,
        changed: Sequence[ChangedFact] = (),
        listed: Callable[[], Awaitable[Confirmation]] | None = None,
    ) -> T:
        """Do something, once more with a person's approval where it needs one and has it.

        do: given the approval's token, None at first.
        changed: what the record said then and says otherwise now: that is asked about, whatever was approved before.
        listed: gives what is listed where it is confirmed, as it is now. It is looked at again after the answer.
        Raises ApprovalRequired: it needs an approval, and nobody gives one.
        """
        approval: str | None = None
        questions_left = _MOST_QUESTIONS
        asked_about = Confirmation()
        by_grant = False
        while True:
            questions_left -= 1
            shown = await listed() if listed is not None else Confirmation()
            if shown.texts != asked_about.texts:
                approval = None  # what is listed changed after the answer
            try:
                return await do(approval)
            except ApprovalRequired as error:
                if error.binding is None and approval is not None and questions_left:
                    approval = None  # the page changed by itself after the approval, so it is judged anew
                    continue
                if error.binding is None:
                    raise
                every, asked_about = list(dict.fromkeys([*changed, *shown.changed])), shown
                error.message += in_words(every)
                if not every and not by_grant and self._is_granted(error):
                    by_grant, approval = True, self._gateway.approvals.issue(error.binding)
                    continue
                if every and not callable(self._approve):
                    raise ApprovalRequired(
                        error.message,
                        hint="run it with approve= a function that asks a person; in replay.yaml, a fact of the target "
                        "or a line of `confirms` that is ${any} isn't compared",
                        **error.data,
                    ) from None
                if not questions_left or not await self._is_approved(error, shown, every):
                    raise ApprovalRequired(
                        error.message,
                        hint="run it with approve=skill.digest, or with a function that asks",
                        **error.data,
                    ) from None
                approval = self._gateway.approvals.issue(error.binding)

    def _is_granted(self, question: ApprovalRequired) -> bool:
        """Whether a person granted exactly this in advance; it counts as used from now on.

        What a model, a client or a terminal runs uses none: a person's code, a watch and the side panel do.
        """
        by_person = getattr(self._approve, "uses_grants", is_of_code(self._approve)) and not acting_name.get()
        return (
            by_person
            and self.granted is not None
            and self.granted.take(question, self.place()[0], self._gateway)
        )

    async def _is_approved(
        self,
        question: ApprovalRequired,
        shown: Confirmation,
        changed: Sequence[ChangedFact],
    ) -> bool:
        if self._approve is None:
            return False
        if isinstance(self._approve, str):
            return self._approve == self._spec.digest
        place = self.place()
        listed = [send for send in self._spec.all_sends or () if send.step == place[0]]
        sends = [fill_text(str(send), self._inputs) for send in listed]
        words = Question.of(question.message, self._spec, self._inputs, place, question.binding, sends)
        words.confirms, words.changes = shown.texts, tuple(map(str, changed))
        return await answer_of(self._approve, words, question)


def in_words(changed: Sequence[ChangedFact]) -> str:
    """What changed since a recording, as the end of a sentence; "" for nothing."""
    more = f" and {len(changed) - _MOST_CHANGES} more" if len(changed) > _MOST_CHANGES else ""
    return f"; since it was recorded, {', '.join(map(str, changed[:_MOST_CHANGES]))}{more}" if changed else ""


async def check_state(
    spec: SkillSpec,
    driver: PageDriver,
    values: Mapping[str, Value],
    start: Start,
    handed: SavedState | None = None,
) -> None:
    """See that a skill can be signed in on a page, before anything is done.

    Raises ConfigError: see `bring_state_of`; or the page was loaded before, and the skill doesn't load another one.
    Raises NotAllowed: it begins on an origin that is none of its own.
    """
    if not spec.state:
        return
    found = await missing_part(
        driver.browser, spec.state, skill_addresses(spec, values, driver.url), handed=handed
    )
    if found is None:
        return
    if start != "here" and spec.start:
        Permission(spec, values, driver.browser.gateway, None).check_origin(
            fill_url(spec.start, values), "start"
        )
        return
    if origin_of(driver.url) in found[0].origins:
        raise ConfigError(
            f"{spec.name} goes on where the page is, which was loaded before anybody was signed in",
            hint=f"open it in a browser of sb.launch(state={spec.state!r})",
        )


async def bring_state_of(
    spec: SkillSpec, browser: Any, values: Mapping[str, Value], url: str, handed: SavedState | None = None
) -> SavedState | None:
    """Bring what a skill's state has for the skill's origins into a browser.

    url: the page's address, which is where a skill acts that names no site.
    Raises ConfigError: there is no such state, it is for other origins, or the browser is signed in there by another
        one.
    """
    if not spec.state:
        return None
    return await bring_named(browser, spec.state, skill_addresses(spec, values, url), handed=handed)


async def signed_in(
    spec: SkillSpec,
    driver: PageDriver,
    values: Mapping[str, Value],
    start: Start,
    handed: SavedState | None = None,
) -> Start:
    """Sign a skill in on the page on which it begins; returns how it begins then.

    Raises ConfigError, NotAllowed: see `check_state`.
    """
    if not spec.state:
        return start
    await check_state(spec, driver, values, start, handed)
    brought = await bring_state_of(spec, driver.browser, values, driver.url, handed)
    if spec.start and start != "here" and (brought is not None or origin_of(driver.url) is None):
        await fill_tab(driver, fill_url(spec.start, values))
    return "always" if brought is not None and start == "auto" and spec.start else start


def skill_addresses(spec: SkillSpec, values: Mapping[str, Value], url: str) -> list[str]:
    """Where a skill begins and acts, with the values of its inputs; the page's address where it names no site."""
    return [fill_url(origin, values) for origin in spec.all_origins] or [url]
