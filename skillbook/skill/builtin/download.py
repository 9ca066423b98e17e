"""Downloading the one file that a description names."""

from __future__ import annotations

import re
from datetime import date

from skillbook.goals.goal_matching import content_words, covers
from skillbook.goals.period import Period, period_in
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.summary import PageSummary
from skillbook.perception.summary.action_intent import action_intent
from skillbook.skill.builtin.builtin_skill import BuiltinSkill, Details, Params, Slots, refuse
from skillbook.skill.builtin.controls import PRESSABLE, step, usable
from skillbook.skill.model import SkillInput, SkillStep

_FILE = re.compile(
    r"(?i)\.(?:pdf|csv|tsv|xlsx?|docx?|pptx?|zip|gz|json|xml|ics|epub|txt|md|ya?ml|svg|png)(?:[?#]|\Z)"
)
_GOAL = re.compile(r"(?i)^(?:please )?(?P<verb>download|save|export|get the file)\b\s*")
_SAVES_FILE = re.compile(r"(?i)\b(?:files?|pdf|csv|xlsx?|excel|zip|json|attachments?|copy)\b")
_FILLER = frozenset(
    ["file", "files", "pdf", "csv", "document", "download", "latest", "newest", "recent", "last"]
)


class Download(BuiltinSkill):
    """Downloads a file by what its control, or the row around it, says."""

    name = "download"
    description = "Download a file from the page, by its name, its row or its date."
    inputs = (
        SkillInput(
            name="what", description='such as "last month\'s invoice" or "report.csv"', required=False
        ),
        SkillInput(name="today", description="the date that 'last month' is counted from", required=False),
    )
    most_stages = 2

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "download last month's invoice"."""
        said = clean(goal)
        begins = _GOAL.match(said)
        if begins is not None and begins["verb"].lower() == "save" and not _SAVES_FILE.search(said):
            return None  # what a form's button does
        if begins is None and action_intent(" ".join(said.split()[:2])) != "download":
            return None
        return {"what": said[begins.end() :] if begins is not None else said}

    def slots(self, details: Details, params: Params) -> Slots:
        """The one control that downloads it; where that opens a menu of files, what the menu has."""
        what = clean(str(params.get("what") or ""))
        if "open" in details.done:
            wanted = " ".join(word for word in content_words(what) if action_intent(word) != "download")
            files = [(_fit_in_menu(node, wanted), node) for node in _came(details.first, details.summary)]
            return Slots({"file": details.pick("file", files, f"file for {what!r} in the menu")})
        day = params.get("today")
        today = date.fromisoformat(str(day)) if day else date.today()
        period, rest = period_in(what, today) if what else (None, "")
        rest = " ".join(word for word in content_words(rest) if word not in _FILLER)
        ways = [
            node
            for node in details.summary.snapshot.elements
            if node.role in PRESSABLE and usable(node) and _downloads(node)
        ]
        if not ways:
            raise refuse("nothing on this page downloads a file")
        scored = [(_fit(node, rest, period, details.summary), node) for node in ways]
        file = details.pick("file", scored, f"download of {what!r}" if what else "download")
        if "collapsed" in file.states:
            return Slots({"open": file}, "open", last=False)
        return Slots({"file": file})

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Click it and wait for the file."""
        if slots.stage == "open":
            return [step("click", slots["open"], "open the menu of files")]
        return [step("download", slots["file"], "download the file")]

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether a menu opened; the step that downloads fails itself where no file comes."""
        return "no menu opened" if slots.stage == "open" and not _came(before, after) else ""


def _came(before: PageSummary | None, after: PageSummary) -> list[Node]:
    """What can be pressed that wasn't there."""
    known = {node.ref for node in before.snapshot.elements} if before is not None else set()
    return [
        node
        for node in after.snapshot.elements
        if node.role in PRESSABLE and usable(node) and node.ref not in known
    ]


def _fit_in_menu(node: Node, wanted: str) -> float:
    """How well an entry of a menu fits; where nothing says which one, only the one that there is."""
    tail = node.href.rsplit("/", 1)[-1] if node.href else ""
    return 0.9 if not wanted or covers(f"{node.label} {tail}", wanted) else 0.0


def _downloads(node: Node) -> bool:
    return action_intent(node.label) == "download" or bool(node.href and _FILE.search(node.href))


def _fit(node: Node, rest: str, period: Period | None, summary: PageSummary) -> float:
    """How well a control, with its row, fits what is wanted."""
    said = f"{node.label} {node.href.rsplit('/', 1)[-1] if node.href else ''} {_around(node)}"
    if period is not None and not period.shown_in(said):
        return 0.0
    if rest and not covers(said, rest):
        headings = " ".join(one.name for one in summary.snapshot.nodes if one.role == "heading")
        if period is None or not covers(f"{said} {headings} {summary.title}", rest):
            return 0.0
        return 0.75
    own = bool(rest) and covers(node.label, rest)
    return 0.95 if own else 0.8


def _around(node: Node) -> str:
    """The text of the row or item that a control stands in."""
    for one in find_collections(node.snapshot):
        for row in one.rows:
            if row.node.index < node.index < node.snapshot.ends[row.node.index]:
                return clean(row.node.text)
    return ""
