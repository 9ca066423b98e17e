"""An exported session done again: for bug reports, and to see what a page makes of the same steps now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillbook.errors import InvalidSkill
from skillbook.journal import JournalStep, SavedJournal
from skillbook.journal import load_journal as read_export
from skillbook.journal.transfer import SCRUBBED
from skillbook.perception.escape import quote
from skillbook.perception.records import ANY
from skillbook.perception.roles import RECORDS
from skillbook.policy.secrets import read_literal
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.session.page.act_requests import FailedRequest
from skillbook.skill.authoring.skill_writer import skill_from_recording
from skillbook.skill.facade import Skill
from skillbook.skill.model.spec_steps import STEP_COMMANDS
from skillbook.skill.model.templates import escape
from skillbook.skill.recording.recorded_steps import RecordedStep, Recording
from skillbook.skill.replay.skill_result import SkillResult
from skillbook.skill.targets.surroundings import kept_around


@dataclass(frozen=True, repr=False)
class SavedSession(SavedJournal):
    """A session that was exported, and can be done again."""

    def skill(self, name: str = "session", *, tab: int | None = None) -> Skill:
        """A skill of what was done on a tab, its elements found by their locators; it is not saved yet.

        Parameters
        ----------
        name : str
            The skill's name.
        tab : int, optional
            The tab's number in the session; the one on which most was done, where it is None.

        Returns
        -------
        Skill
            The skill, not saved.

        Raises
        ------
        InvalidSkill
            Nothing was done that could be done again, or what was typed isn't in the file.
        """
        done = [step for step in self.steps if _counts(step)]
        tabs = [step.tab for step in done]
        wanted = tab if tab is not None else max(tabs, key=tabs.count, default=None)
        goal = "Do a recorded session again"
        mine = [step for step in done if step.tab == wanted]
        following = [*(step.url for step in mine[1:]), ""]
        steps = [_recorded(step, after) for step, after in zip(mine, following, strict=True)] if mine else []
        made = skill_from_recording(Recording(goal, tuple(steps)), name)
        return Skill(made.spec, foreign=True)

    def replay(self, page: Any, *, tab: int | None = None, **options: Any) -> SkillResult:
        """Do the session's steps again on a page, and block until it is done.

        The file may be anybody's: like every foreign skill, it first needs `session.skill().approve()`. Steps that
        can't be undone need an approval as those of every skill; secrets are typed by their names.

        Parameters
        ----------
        page : object
            A `Page` of either twin.
        tab : int, optional
            See `skill`.
        **options : object
            For `Skill.run`, such as `approve`, `start` and `raise_on_error`.

        Returns
        -------
        SkillResult
            What the replay did.

        Raises
        ------
        InvalidSkill
            See `skill`.
        SkillNotApproved
            Nobody has approved these steps.
        NotAllowed
            A secret has no value.
        """
        return self.skill(tab=tab).run(page, **options)


def load_journal(path: Path | str) -> SavedSession:
    """Read an exported session; `replay(page)` does it again.

    Parameters
    ----------
    path : Path or str
        A file of `browser.export_journal()`.

    Returns
    -------
    SavedSession
        The session, to look at and to replay.

    Raises
    ------
    ConfigError
        It is no such file.

    Examples
    --------
    >>> session = sb.load_journal("bug-report.zip")  # doctest: +SKIP
    >>> session.steps  # doctest: +SKIP
    """
    saved = read_export(path)
    return SavedSession(saved.steps, saved.measures)


def _counts(step: JournalStep) -> bool:
    known = step.command in STEP_COMMANDS and COMMANDS[step.command].effect is not Effect.READ
    return known and step.was_done and not COMMANDS[step.command].runs_script


def _recorded(step: JournalStep, url_after: str) -> RecordedStep:
    params = {
        name: read_literal(value) if isinstance(value, str) else value
        for name, value in step.params.items()
        if name not in {"ref", "to_ref"}
    }
    if SCRUBBED in str(params):
        raise InvalidSkill(
            f"the file doesn't say what step {step.id} ({step.command}) was done with",
            hint="export it with browser.export_journal(path, values=True); addresses lose their queries all the same",
        )
    if step.params.get("to_ref"):
        raise InvalidSkill(
            f"step {step.id} ({step.command}) needs two elements, and the journal has one locator"
        )
    before = step.url.partition("?")[0] if SCRUBBED in step.url else step.url
    after = str(step.observation.get("url") or url_after)
    return RecordedStep(
        step.command,
        params,
        named=_selector(step),
        around=_around(step),
        url_before=before,
        url_after=before if SCRUBBED in after else after,  # where it led to can't be checked then
        irreversible=step.effect == "irreversible",
        failed=tuple(FailedRequest(*parts) for parts in step.error.get("failed", ())),
    )


_KEYS = ("keys", "counted")
"""An address without its query leads to many records."""


def _around(step: JournalStep) -> dict[str, str]:
    """What is known of the step's element and its record, as a fingerprint has it; what the export hid is anything."""
    known = {key: step.target[key] for key in ("role", "name") if isinstance(step.target.get(key), str)}
    if known.get("role") in RECORDS and not known.get("name"):
        known.pop("name", None)  # what it shows is its record's
    seen = {key: escape(text) for key, text in known.items() if SCRUBBED not in text}
    kept = dict(step.record)
    for key in _KEYS:
        kept[key] = [text for text in kept.get(key, ()) if SCRUBBED not in str(text)]
    return seen | kept_around(kept, lambda text: escape(text).replace(SCRUBBED, ANY))


def _selector(step: JournalStep) -> str:
    """What finds the step's element again; empty for a step without one."""
    role, name = step.target.get("role"), step.target.get("name")
    if step.locator or not role:
        return step.locator
    return f"{role} {quote(str(name))}" if name else str(role)
