"""Downloading the one file that a description names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from skillbook import lexicon
from skillbook.goals.goal_words import Period, content_words, covers, period_in
from skillbook.perception.action_intent import action_intent
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.roles import words
from skillbook.perception.summary import PageSummary
from skillbook.skill.builtin.builtin_skill import (
    LEAST,
    PRESSABLE,
    BuiltinSkill,
    Details,
    Params,
    Slots,
    plain,
    refuse,
    step,
    usable,
)
from skillbook.skill.model import SkillInput, SkillStep

_KINDS = words(
    "pdf csv tsv xls xlsx doc docx ppt pptx zip gz json xml ics epub txt md yaml yml svg png excel"
)
_FILE = re.compile(rf"(?i)\.({'|'.join(sorted(_KINDS))})(?:[?#]|\Z)")
_SAME_KIND = {"xls": "xlsx", "excel": "xlsx", "doc": "docx", "ppt": "pptx", "yml": "yaml"}
_FRONT = 3  # words of a goal, one of which says what is done
_SAID_SO, _NAMED, _IN_NAME, _IN_ROW, _IN_TITLE = 1.0, 0.88, 0.76, 0.64, 0.52


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
        text = clean(goal)
        kind = action_intent(" ".join(text.split()[:_FRONT]))
        if kind == "save" and not (_kinds_in(content_words(text)) or _speaks_of_files(text)):
            return None  # what a form's button does
        if kind not in {"download", "save"}:
            return None
        verbs = [hit.end for hit in lexicon.find(text) if hit.meaning == kind and hit.begins]
        return {
            "what": text[max(verbs, default=0) :].strip() if len(lexicon.fold(text)) == len(text) else text
        }

    def slots(self, details: Details, params: Params) -> Slots:
        """The one control that downloads it; where that opens a menu of files, what the menu has."""
        what = clean(str(params.get("what") or ""))
        if "open" in details.done:
            entry = " ".join(_named(what))
            files = [(_fit_in_menu(node, entry), node) for node in _came(details.first, details.summary)]
            return Slots({"file": details.pick("file", files, f"file for {what!r} in the menu")})
        day = params.get("today")
        today = date.fromisoformat(str(day)) if day else date.today()
        period, rest = period_in(what, today) if what else (None, "")
        wanted = _named(rest)
        ways = [
            node
            for node in details.summary.snapshot.elements
            if node.role in PRESSABLE and usable(node) and _downloads(node, wanted)
        ]
        if not ways:
            raise refuse("nothing on this page downloads a file")
        kinds = _kinds_in(wanted)
        scored = [(_fit(node, what, wanted, period, details.summary), node) for node in ways]
        if kinds and all(score < LEAST for score, _ in scored):
            # Nothing names the kind of file: what names no other may give it.
            wanted = [word for word in wanted if word not in _KINDS]
            scored = [
                (0.0 if _kinds_of(node) - kinds else _fit(node, "", wanted, period, details.summary), node)
                for node in ways
            ]
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


def _named(text: str) -> list[str]:
    """The words that say which file: those but for downloading, for files in general, and for the newest."""
    return _telling(content_words(text))


def _telling(words: Iterable[str]) -> list[str]:
    return [
        word
        for word in words
        if action_intent(word) != "download"
        and not any(lexicon.is_all(meaning, word) for meaning in ("file_word", "latest"))
    ]


def _speaks_of_files(text: str) -> bool:
    return any(lexicon.is_all("file_word", word) for word in content_words(text))


def _kinds_in(words: Iterable[str]) -> set[str]:
    return {_SAME_KIND.get(word, word) for word in words if word in _KINDS}


def _kinds_of(node: Node) -> set[str]:
    """The kinds of files that a control names, or its address ends with."""
    ends = _FILE.search(node.href) if node.href else None
    return _kinds_in([*content_words(node.label), *([ends[1].lower()] if ends else [])])


def _downloads(node: Node, wanted: Sequence[str]) -> bool:
    if action_intent(node.label) == "download" or (node.href and _FILE.search(node.href)):
        return True
    return bool(_kinds_in(wanted)) and set(_named(node.label)) == set(wanted)


def _fit(node: Node, what: str, wanted: Sequence[str], period: Period | None, summary: PageSummary) -> float:
    """How well a control, with its row, fits what is wanted."""
    own = f"{node.label} {node.href.rsplit('/', 1)[-1] if node.href else ''}"
    around = f"{own} {_around(node)}"
    if period is not None and not period.shown_in(around):
        return 0.0
    if plain(node.label) == plain(what) and action_intent(what) == "download":
        return _SAID_SO
    if not wanted:
        return _IN_ROW
    # Each word counts here: the "A" of "report A" is no article.
    if set(_telling(plain(node.label).split())) == set(wanted):
        return _NAMED
    text = " ".join(wanted)
    if covers(own, text):
        return _IN_NAME
    if covers(around, text):
        return _IN_ROW
    headings = " ".join(one.name for one in summary.snapshot.nodes if one.role == "heading")
    titled = period is not None and covers(f"{around} {headings} {summary.title}", text)
    return _IN_TITLE if titled else 0.0


def _around(node: Node) -> str:
    """The text of the row or item that a control stands in."""
    for one in find_collections(node.snapshot):
        for row in one.rows:
            if row.node.index < node.index < node.snapshot.ends[row.node.index]:
                return clean(row.node.text)
    return ""
