"""Skills and workflows as the side panel lists them, those first that fit the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from skillbook.perception.summary import PageSummary
from skillbook.protocol.asks.run_asks import RunSummary
from skillbook.protocol.asks.skill_asks import SkillCard, WorkflowCard
from skillbook.serving.input_forms import label_of, skill_form, workflow_form
from skillbook.serving.workflows.workflow import Workflow
from skillbook.skill.builtin import Builtin
from skillbook.skill.consent.consent_summary import reached
from skillbook.skill.facade import Skill
from skillbook.skill.library import Entry, Library
from skillbook.skill.matches import fit_to_page

_MOST_SENDS = 20


def skill_cards(
    library: Library, summary: PageSummary | None, last: Mapping[str, RunSummary]
) -> list[SkillCard]:
    """A card for each skill, the best for a page first.

    Parameters
    ----------
    summary : the page; None where none is looked at.
    last : the last run of each skill, by name.
    """
    skills: list[Skill | Builtin] = [*library.saved, *library.builtin]
    cards = [_card(skill, summary, last.get(skill.name)) for skill in skills]
    cards += [_broken(entry) for entry in library.entries if entry.spec is None]
    return sorted(cards, key=lambda card: (-(card.score or 0.0), card.builtin, card.name))


def _card(skill: Skill | Builtin, summary: PageSummary | None, last: RunSummary | None) -> SkillCard:
    score, why = fit_to_page(skill, summary) if summary is not None else (None, "")
    builtin = isinstance(skill, Builtin)
    return SkillCard(
        name=skill.name,
        title=label_of(skill.name),
        description=skill.description,
        inputs=skill_form(skill),
        sends=_sends(skill),
        where=_where(skill),
        builtin=builtin,
        approved=isinstance(skill, Builtin) or skill.approved,
        score=score,
        why=why or None,
        last=last,
    )


def _sends(skill: Skill | Builtin) -> list[str]:
    if isinstance(skill, Builtin):
        return ["what its form sends to the page's own site"] if skill.skill.sends else []
    if not skill.spec.replays:
        return ["what its agent is allowed to send; it asks"]
    sends = skill.spec.all_sends
    if sends is None:
        return ["it doesn't say; it asks"]
    return [str(send) for send in sends[:_MOST_SENDS]]


def _where(skill: Skill | Builtin) -> str:
    if isinstance(skill, Builtin):
        return "any page"
    inputs = {one.name: one.default for one in skill.spec.inputs if one.default is not None}
    hosts = [urlsplit(origin).netloc for origin in reached(skill.spec, inputs)]
    return ", ".join(hosts[:3]) or "any page"


def _broken(entry: Entry) -> SkillCard:
    problem = entry.error.message if entry.error is not None else "it can't be read"
    return SkillCard(
        name=entry.name,
        title=label_of(entry.name),
        description="",
        inputs=[],
        approved=False,
        problem=problem,
    )


def workflow_cards(workflows: Sequence[Workflow], last: Mapping[str, RunSummary]) -> list[WorkflowCard]:
    """A card for each workflow."""
    return [
        WorkflowCard(
            name=one.name,
            title=label_of(one.name),
            description=one.description,
            inputs=workflow_form(one),
            last=last.get(one.name),
        )
        for one in workflows
    ]
