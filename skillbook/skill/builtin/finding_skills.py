"""Finding a page of a site, by its menus or its search field; and downloading the one file that a description names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from urllib.parse import urldefrag

from skillbook import lexicon
from skillbook.extraction.walking.nothing_found import says_nothing_found
from skillbook.goals.goal_words import Period, before_goal, content_words, covers, period_in
from skillbook.perception.action_intent import action_intent
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean
from skillbook.perception.forms import form_elements, form_key
from skillbook.perception.nodes.base_snapshot import Node
from skillbook.perception.roles import words
from skillbook.perception.summary import PageSummary
from skillbook.policy.labels import danger_of
from skillbook.skill.builtin.builtin_skill import (
    LEAST,
    PRESSABLE,
    BuiltinSkill,
    Details,
    Params,
    Slots,
    address_says,
    changed,
    fields_for_text,
    moved,
    nothing_found,
    of_kind,
    plain,
    refuse,
    says_broken,
    says_same,
    shows_new,
    step,
    texts,
    usable,
)
from skillbook.skill.builtin.form_fields import tool_that_searches
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep

_MENUS = words("navigation banner complementary menubar menu tablist tree toolbar")
_ITEMS = words("link button menuitem tab treeitem menuitemradio generic")
_SPLIT = re.compile(r"\s*(?:>|›|→|»|/)\s*")
_COUNT = re.compile(r"\s*[(\[]?\d+[)\]]?$")


@cache
def _menu_goal() -> re.Pattern[str]:
    go, article, place = map(lexicon.alternation, ("go_to", "article", "place_word"))
    return re.compile(rf"(?i)^{before_goal()}{go} (?:{article} )?(?P<path>.+?)(?: {place})?$")


class NavigateByMenu(BuiltinSkill):
    """Presses one entry after the other: "Settings > Users"."""

    name = "navigate_by_menu"
    description = "Go to a page by the site's menus, tabs or navigation links."
    inputs = (SkillInput(name="path", description='the entries, as "Settings > Users"'),)
    most_stages = 6

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "go to Settings > Users"."""
        found = _menu_goal().match(clean(goal))
        return {"path": found["path"]} if found else None

    def slots(self, details: Details, params: Params) -> Slots:
        """The next entry; the last one directly where it can be seen already."""
        path, at = path_of(params), len(details.done)
        if not path or at >= len(path):
            raise refuse("the path has no entries: write it as 'Settings > Users'")
        label = path[at]
        snapshot = details.summary.snapshot
        found = [node for node in snapshot.elements if node.role in _ITEMS and usable(node)]
        scored = [
            (score, node)
            for node in found
            if (score := _label_likeness(node, label)) and danger_of(node.label, anywhere=True) is None
            if action_intent(node.label) not in {"logout", "login"}
        ]
        node = details.pick("entry", scored, f"entry {label!r}")
        last = at == len(path) - 1
        facts = {"next": "" if last else path[at + 1], "label": label}
        return Slots({"entry": node}, f"{at + 1}. {label}", last, facts)

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Press the entry, unless it only has to open and is open."""
        if "expanded" in slots["entry"].states and not slots.last:
            return [step("hover", slots["entry"], f"stay at {slots.facts['label']}")]
        return [step("click", slots["entry"], f"open {slots.facts['label']}")]

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether the next entry is there; at the end, whether the page is the one that the entry leads to."""
        if broken := says_broken(after):
            return f"the page says {broken!r}"
        if following := slots.facts["next"]:
            there = any(
                _label_likeness(node, following) >= 0.5
                for node in after.snapshot.elements
                if node.role in _ITEMS
            )
            return "" if there else f"no entry {following!r} appeared"
        entry = slots["entry"]
        if entry.href and _whole(entry.href) and after.url == entry.href:
            return ""
        if entry.href and _whole(entry.href) and urldefrag(after.url)[0] != urldefrag(before.url)[0]:
            return ""  # the site sent us on
        if _is_current(after, entry.label):
            return ""
        if not changed(before, after):
            return "the page did not change"
        new = set(texts(after.snapshot)) - set(texts(before.snapshot))
        return "" if new or before.url != after.url else "the page shows nothing new"


def path_of(params: Params) -> Sequence[str]:
    """The entries of a path."""
    given = params.get("path", "")
    parts = _SPLIT.split(given) if isinstance(given, str) else list(given)
    return [clean(str(part)) for part in parts if clean(str(part))]


def _label_likeness(node: Node, label: str) -> float:
    """How surely an element is a menu's entry of a label."""
    same = says_same(node, label) or plain(_COUNT.sub("", node.label)) == plain(label)
    starts = not same and plain(node.label).startswith(plain(label) + " ")
    if not (same or starts) or (node.role == "generic" and not same):
        return 0.0
    within = any(up.role in _MENUS for up in node.ancestors) or node.role in {"menuitem", "tab", "treeitem"}
    return (0.7 if same else 0.45) + 0.25 * within


def _is_current(after: PageSummary, label: str) -> bool:
    return any(
        says_same(node, label) and {"current", "selected", "pressed", "expanded"} & node.states
        for node in after.snapshot.nodes
        if node.role in _ITEMS
    )


def _whole(href: str) -> bool:
    return href.startswith(("http://", "https://"))


_FIELD_NAMES = words("q query search s keyword keywords term terms text searchterm search_query quicksearch")


@cache
def _goal() -> re.Pattern[str]:
    begin, place = map(lexicon.alternation, ("search_for", "this_site"))
    return re.compile(rf"(?i)^{before_goal()}{begin} (?P<query>.+?)(?: {place})?$")


class Search(BuiltinSkill):
    """Types a query into the page's search field and sends it."""

    name = "search"
    description = "Search the site by its search field and wait for the results."
    inputs = (
        SkillInput(name="query", description="what to search for"),
        SkillInput(
            name="field", description="the search field's label, where there are several", required=False
        ),
    )
    sends = True
    most_stages = 3

    def params_of(self, goal: str) -> Params | None:
        """Goals such as "search for lamps"."""
        found = _goal().match(clean(goal))
        return {"query": found["query"].strip(" \"'“”")} if found else None

    def slots(self, details: Details, params: Params) -> Slots:
        """The search field and its button; else what opens the search, or a tool of the page's own that searches."""
        snapshot = details.summary.snapshot
        wanted = str(params.get("field") or "")
        scored = [(score, node) for node in fields_for_text(snapshot) if (score := _likeness(node, wanted))]
        if not any(score >= 0.5 for score, _ in scored) and "open" not in details.done and not wanted:
            ways = [node for node in of_kind(snapshot, "search") if len(clean(node.label)) <= 30]
            if ways:
                opens = details.pick("open", [(0.9, node) for node in ways], "way to open the search")
                return Slots({"open": opens}, "open", last=False)
        if not str(params.get("query", "")).strip():
            raise refuse("there is nothing to search for: the query is empty")
        if not scored and (tool := tool_that_searches(snapshot)) is not None:
            return Slots({}, "search", facts={"tool": tool[0], "argument": tool[1]})
        if "type" not in details.done:
            field = details.pick("field", _once(scored), f"search field{f' {wanted!r}' if wanted else ''}")
            return Slots({"field": field}, "type", last=False)
        # Typing may take the button away, bring it, or find something by itself.
        typed = [(score, node) for score, node in scored if _holds(node, str(params["query"]))]
        field = details.pick("field", _once(typed or scored), "search field with the query")
        button, first = _button_of(field), details.first or details.summary
        nodes = {"field": field, **({"button": button} if button else {})}
        # A field without a name is sent by no form: its page may search while one types, and Enter would empty it.
        is_sent = button is not None or bool(field.html_name) or field.role == "combobox"
        live = not is_sent and _shows_found(first, details.summary, str(params["query"]), field)
        return Slots(nodes, "search", facts={"before": first, "live": live})

    def plan(self, slots: Slots, params: Params) -> list[SkillStep]:
        """Open the search; or type, and press the button or Enter."""
        if slots.stage == "open":
            return [step("click", slots["open"], "open the search")]
        if "tool" in slots.facts:
            args = {slots.facts["argument"]: str(params["query"])}
            return [
                step("call_page_tool", None, "search by the page's tool", name=slots.facts["tool"], args=args)
            ]
        if slots.facts.get("live"):
            return []
        if slots.stage == "type":
            return [step("fill", slots["field"], "type the query", value=str(params["query"]))]
        if "button" in slots.nodes:
            return [step("click", slots["button"], "search")]
        return [step("press", slots["field"], "search", key="Enter")]

    def effects(self, before: PageSummary, after: PageSummary, slots: Slots, params: Params) -> str:
        """Whether the page shows what was found for the query, or says that nothing was."""
        if slots.stage == "open":
            fields = fields_for_text(after.snapshot)
            return "" if any(_likeness(node, "") >= 0.5 for node in fields) else "no search field appeared"
        query = str(params["query"])
        if slots.stage == "type":
            typed = any(_holds(node, query) for node in fields_for_text(after.snapshot))
            return "" if typed else "the search field does not hold the query"
        before = slots.facts.get("before", before)
        if broken := says_broken(after):
            return f"the page says {broken!r}"
        if not changed(before, after):
            return "the page did not change after the search"
        if moved(before, after) and address_says(after.url, query):
            return ""
        if _shows_found(before, after, query, slots.nodes.get("field")):
            return ""
        return f"the page changed, but neither its address nor its text speaks of {query!r}"

    def answer(self, before: PageSummary, after: PageSummary, slots: Slots) -> Mapping[str, str]:
        """That nothing was found."""
        return nothing_found(slots.facts.get("before", before), after)


def _shows_found(before: PageSummary, after: PageSummary, query: str, field: Node | None) -> bool:
    """Whether a page shows what it didn't: something that speaks of the query, or that there is nothing."""
    shown = [clean(node.name) for node in after.snapshot.nodes if node.role == "text"]
    known = {clean(node.name) for node in before.snapshot.nodes if node.role == "text"}
    if any(says_nothing_found(text) for text in shown if text not in known):
        return True
    ref = str(field.ref) if field is not None else ""
    kept = ref in after.snapshot and _holds(after.snapshot[ref], query)
    return shows_new(before.snapshot, after.snapshot, query, left=kept)


def _holds(field: Node, query: str) -> bool:
    return plain(field.value or "") == plain(query)


def _likeness(node: Node, wanted: str) -> float:
    """How surely a field is the page's search field."""
    label = clean(node.label or node.placeholder or "")
    if wanted:
        same = says_same(node, wanted) or plain(node.placeholder or "") == plain(wanted)
        return 1.0 if same else 0.0
    if "secret" in node.states:
        return 0.0
    score = 0.0
    if node.role == "searchbox" or node.type == "search":
        score = 0.8
    if (node.html_name or "").casefold() in _FIELD_NAMES:
        score = max(score, 0.75)
    if "search" in {action_intent(label), action_intent(node.placeholder or "")}:
        score = max(score, 0.75)
    if any(up.role == "search" for up in node.ancestors):
        score = max(score, 0.85)
    if not score:
        return 0.0
    if any(up.role in {"table", "grid", "row", "dialog"} for up in node.ancestors):
        score -= 0.25
    return min(1.0, score + 0.1 * any(up.role in {"banner", "search"} for up in node.ancestors))


def _once(scored: list[tuple[float, Node]]) -> list[tuple[float, Node]]:
    """A search that stands above and below the page is one: the first counts."""
    kept: dict[tuple[str, str, str], tuple[float, Node]] = {}
    for score, node in sorted(scored, key=lambda one: (-one[0], one[1].index)):
        button = _button_of(node)
        key = (plain(node.label), node.html_name or str(node.ref), plain(button.label) if button else "")
        kept.setdefault(key, (score, node))
    return list(kept.values())


def _button_of(field: Node) -> Node | None:
    """The button that sends the field's form and does nothing else."""
    if form_key(field) is None:
        return None
    buttons = [node for node in form_elements(field) if node.role == "button" and usable(node)]
    sends = [node for node in buttons if node.type == "submit" or action_intent(node.label) == "search"]
    named = [node for node in sends if action_intent(node.label) == "search"]
    found = named or [node for node in sends if not clean(node.label)]
    return found[0] if len(found) == 1 else None


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
