"""Names of controls that lead to more of the same, texts that say so, and rows that are nothing but such a one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from skillbook import lexicon
from skillbook.perception.collections.collection import Row
from skillbook.perception.collections.measures import SEVERAL
from skillbook.perception.escape import LONGEST_NAME, clean, quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot

_ARROWS = re.compile(r"\s*(?!\s*[›»→>❯▶]{3})[›»→>❯▶⟩⇨➔➜]+\s*\Z")  # three are a prompt in a code sample
_CODE = re.compile(r"[(){};=]|\A\s*\.")
_BRACKETED_COUNT = re.compile(r"\s\([^()]*\d[^()]*\)|\s\[[^\[\]]*\d[^\[\]]*\]")
_MOST_OTHER_WORDS = 3
_WORDS = re.compile(r"[^\W\d_]+")
_OF_MORE = frozenset({"next_page", "show_more", "items", "results"})
"""What a name that leads to more may speak of: "Show 4 more people"."""
_CONTROLS = frozenset({"link", "button"})


def says_next(label: str) -> bool:
    """Whether a control's name says that it leads to more of the same, or is an arrow that does."""
    if _ARROWS.match(label):
        return True
    return bool(more_phrases(label)) or lexicon.is_all("next_page", _without_numbers(label))


def more_phrases(label: str) -> list[str]:
    """Phrases of several words in a name that say so, with a few other words at most: "Show 4 more people"."""
    label = _BRACKETED_COUNT.sub("", label)
    text = lexicon.fold(_without_numbers(label))
    if _CODE.search(label) or not lexicon.meanings(text) <= _OF_MORE:
        return []
    found = []
    for hit in lexicon.find(text):
        others = f"{text[: hit.start]} {text[hit.end :]}".split()
        is_phrase = " " in text[hit.start : hit.end] or not text.isascii()
        if hit.meaning == "next_page" and is_phrase and len(others) <= _MOST_OTHER_WORDS:
            found.append(text[hit.start : hit.end])
    return found


def says_others(text: str) -> bool:
    """Whether a text says nothing but how many more there are than those that are shown: "and 12 more"."""
    folded = lexicon.fold(text)
    if len(folded) > LONGEST_NAME or not (found := _others().search(folded)):
        return False
    around = f"{folded[: found.start()]} {folded[found.end() :]}"
    return not any(map(str.isdigit, around)) and len(_WORDS.findall(around)) <= _MOST_OTHER_WORDS


@cache
def _others() -> re.Pattern[str]:
    number, more = r"\d+(?:[.,' ]\d{3})*", lexicon.alternation("and_more")
    return re.compile(rf"(?<![\w.,]){number}\s*{more}|{more}\s*{number}(?![\w.,]\d)")


def _without_numbers(label: str) -> str:
    return "" if _CODE.search(label) else " ".join(re.sub(r"\d+", " ", label).split())


def without_ways_on(snapshot: BaseSnapshot, rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Rows without those at the end that are nothing but a control which leads to more, and what says so."""
    kept = list(rows)
    notes = []
    while len(kept) > 1 and (label := _leads_on(snapshot, kept[-1])) and _says_several(rows):
        kept.pop()
        notes.append(f"left out: the row that leads to more ({quote(label, 40)})")
    return kept, notes


def _says_several(rows: Sequence[Row]) -> bool:
    """Whether rows say several things: in a list of names, one may be called as what leads on."""
    return any(sum(bool(cell and cell.text) for cell in row.cells) >= SEVERAL for row in rows)


def _leads_on(snapshot: BaseSnapshot, row: Row) -> str:
    """The name of the only thing that a row has, if that leads to more, or says how many more there are."""
    columns, first = snapshot.columns, row.node.index
    if snapshot.ends[first] <= first + SEVERAL and says_others(text := snapshot.text_of(first)):
        return text
    inside = range(first, snapshot.ends[first])
    controls = [at for at in inside if columns.role[at] in _CONTROLS]
    if len(controls) != 1:
        return ""
    label = clean(snapshot.nodes[controls[0]].label)
    is_next = columns.extra.get(controls[0], {}).get("rel") == "next"
    return label if snapshot.text_of(first) == label and (is_next or says_next(label)) else ""
