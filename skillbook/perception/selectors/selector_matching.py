"""Role selectors evaluated over a snapshot."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from skillbook.errors import SelectorError
from skillbook.perception.escape import clean
from skillbook.perception.forms import bare_name, is_form, leads_to, without_arrows
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.nodes.visible_text import speaks
from skillbook.perception.records.neighbours import Neighbours, scope_of
from skillbook.perception.roles import DIALOGS, FIELDS, IMAGES
from skillbook.perception.selectors.counting import items_by_number, without_shells
from skillbook.perception.selectors.grammar import Name, Selector, Test, parse_selector
from skillbook.protocol.snapshot import State

_SAME_ROLES = {"img": IMAGES, "dialog": DIALOGS}
_FLAG = {name.lower(): int(state) for name, state in State.__members__.items()}
CUT = "…"
"""What a name ends with that is too long for a line or a hint."""
_LONGEST = 2000  # characters of a name that a regular expression sees


def find_all(snapshot: BaseSnapshot, selector: str | Selector) -> list[Node]:
    """Every node that a selector names, in document order; empty where there is none."""
    parsed = parse_selector(selector) if isinstance(selector, str) else selector
    return [snapshot.nodes[index] for index in find_indexes(snapshot, parsed)]


def find_indexes(snapshot: BaseSnapshot, selector: Selector) -> list[int]:
    """Indexes of every node that a selector names, in document order."""
    return _Matcher(snapshot).select(selector)


def find_scopes(snapshot: BaseSnapshot, selector: Selector) -> list[int]:
    """Indexes of every node that a selector names as what is around something."""
    return _Matcher(snapshot).select(selector, scope=True)


def with_number(snapshot: BaseSnapshot, selector: Selector, index: int) -> Selector | None:
    """A selector with the `nth` by which it names a node alone, if it needs one; None where it doesn't name it."""
    found = find_indexes(snapshot, selector)
    if found == [index]:
        return selector
    numbers = items_by_number(snapshot, selector, found)
    number = next((number for number, other in numbers.items() if other == index), None)
    return None if number is None else replace(selector, nth=number)


def find_within(
    snapshot: BaseSnapshot, selector: Selector, root: int | None, *, runs: bool = False
) -> list[int]:
    """Indexes of what a selector names inside one node, or on the whole page.

    With `runs` a text is the run of text itself: the element around it, which one would act on, may say more.
    """
    matcher = _Matcher(snapshot, runs)
    return matcher.select(selector, None if root is None else [(root + 1, snapshot.ends[root])])


class _Matcher:
    """Evaluates selectors over one snapshot. Nodes are indexes, and lists of them are in document order."""

    def __init__(self, snapshot: BaseSnapshot, runs: bool = False) -> None:
        self.runs = runs
        self.snapshot = snapshot
        self.columns = snapshot.columns

    def select(
        self, selector: Selector, spans: Sequence[tuple[int, int]] | None = None, scope: bool = False
    ) -> list[int]:
        """The nodes that a selector names in some spans, the whole page by default.

        With `scope` the selector says what is around something: a text that a node has in it counts as its name.
        """
        if selector.frames:
            spans = self.frame_spans(selector.frames, spans)
        if selector.within is not None:
            outer = self.select(selector.within, spans, scope=True)
            spans = [(index + 1, self.snapshot.ends[index]) for index in outer]
        indexes = self.inside(spans)
        if self.snapshot.css and self.snapshot.hidden and selector.kind != "css":
            indexes = [i for i in indexes if i not in self.snapshot.hidden]
        if selector.tests:
            indexes = [i for i in indexes if self.passes(i, selector.tests)]
        found = self.named(selector, indexes, scope)
        if selector.beside is not None:
            found = self.beside(selector.beside, found)
        counted = found if selector.kind == "css" else without_shells(self.snapshot, found)
        if selector.nth is None:
            return list(counted)
        index = items_by_number(self.snapshot, selector, counted).get(selector.nth)
        return [] if index is None else [index]

    def inside(self, spans: Sequence[tuple[int, int]] | None) -> Sequence[int]:
        if spans is None:
            return range(len(self.columns.role))
        if len(spans) == 1:
            return range(*spans[0])
        return sorted({index for first, last in spans for index in range(first, last)})

    def frame_spans(
        self, path: Sequence[str], spans: Sequence[tuple[int, int]] | None
    ) -> Sequence[tuple[int, int]]:
        """The content of the frames that a path of names or addresses leads to."""
        for part in path:
            wanted = clean(part).casefold()
            outer = spans
            spans = []
            for document in self.columns.documents:
                owner = document.owner
                if owner is None or not _covers(outer, owner):
                    continue
                node = self.snapshot.nodes[owner]
                known = (node.name, node.html_name or "", node.html_id or "", document.url, document.title)
                if any(wanted in clean(text).casefold() for text in known):
                    spans.append((owner + 1, self.snapshot.ends[owner]))
        return spans or []

    def passes(self, index: int, tests: Sequence[Test]) -> bool:
        flags = self.columns.flags[index]
        for test in tests:
            if isinstance(test.wanted, bool):
                if test.key == "expanded" and not test.wanted:
                    passed = bool(flags & State.COLLAPSED)
                elif test.key == "checked" and not test.wanted:
                    passed = not flags & (State.CHECKED | State.MIXED)
                else:
                    passed = bool(flags & _FLAG[test.key]) is test.wanted
            elif test.key == "checked":
                passed = test.wanted.text == "mixed" and bool(flags & State.MIXED)
            else:
                value = self.property(index, test.key)
                passed = value is not None and any(check(str(value)) for check in _checks(test.wanted))
            if not passed:
                return False
        return True

    def property(self, index: int, key: str) -> object:
        if key == "ref":
            return self.snapshot.nodes[index].ref
        return self.columns.extra.get(index, {}).get({"id": "html_id"}.get(key, key))

    def named(self, selector: Selector, indexes: Iterable[int], scope: bool) -> list[int]:
        name = selector.name
        if selector.kind == "css":
            return self.by_css(selector, indexes)
        if selector.kind == "testid" and name:
            extra = self.columns.extra
            return [i for i in indexes if i in extra and extra[i].get("test_id") == name.text]
        if selector.kind == "text":
            shown = list(indexes)
            if name is not None:
                return self.by_text(name, shown)
            return [i for i in shown if self.columns.role[i] == "text" or self.is_shown_name(i)]
        roles = self.columns.role
        if selector.kind == "label":
            found = [i for i in indexes if roles[i] in FIELDS or self.is_field(i)]
        elif selector.role == "card":
            found = [i for i in indexes if i in self.snapshot.cards]
        elif selector.role == "form":
            return self.forms(name, indexes)
        elif selector.role == "any":
            found = [i for i in indexes if roles[i] != "text"]
        else:
            wanted = _SAME_ROLES.get(selector.role, {selector.role})
            found = [i for i in indexes if roles[i] in wanted]
        if name is None:
            return found
        is_field = selector.kind == "label" or selector.role in FIELDS
        matched = self.by_name(name, found, loose=is_field)
        matched = matched or self.by_label(name, indexes if selector.kind == "label" else found)
        return matched if matched or not scope else self.by_content(name, found)

    def is_field(self, index: int) -> bool:
        """Whether a node is a field by other signs than its role: file fields are buttons, hidden ones their labels."""
        if self.columns.flags[index] & int(State.EDITABLE):
            return self.columns.role[index] != "text"
        return self.columns.extra.get(index, {}).get("type") == "file"

    def forms(self, name: Name | None, indexes: Iterable[int]) -> list[int]:
        """Forms by name, by a heading, field or text in them, or by where they are sent.

        Forms without a name have no role; they count if no other form fits.
        """
        roles, tags = self.columns.role, self.columns.tag
        found = [i for i in indexes if roles[i] == "form" or is_form(tags[i])]
        named = [i for i in found if roles[i] == "form"]
        if name is None:
            return named or found
        matched = self.by_name(name, named, loose=False) or self.by_content(name, found)
        return matched or [i for i in found if leads_to(self.columns.extra.get(i, {}), clean(name.text))]

    def by_name(self, name: Name, indexes: Sequence[int], loose: bool) -> list[int]:
        names = self.snapshot.clean_names
        if name.mode == "exact" and not loose:
            indexes = self.may_be_called(clean(name.text).casefold(), indexes)
        labels = [(i, names[i] or self.snapshot.text_of(i)) for i in indexes]
        for check in [*_checks(name), *_arrow_checks(name)]:
            found = [index for index, label in labels if check(label)]
            if found:
                return found
        bare = bare_name(name.text) if loose and name.mode == "exact" else ""
        flags, required = self.columns.flags, int(State.REQUIRED)
        return [i for i, label in labels if bare and bare_name(label, bool(flags[i] & required)) == bare]

    def by_label(self, name: Name, indexes: Iterable[int]) -> list[int]:
        """The nodes whose labels say the name, where they are called something else, or what they hold as well."""
        extra = self.columns.extra
        labels = [(i, clean(extra[i]["label"])) for i in indexes if "label" in extra.get(i, {})]
        bare = bare_name(name.text) if name.mode == "exact" else ""
        checks: list[Callable[[str], bool]] = _checks(name)
        if bare:
            checks.append(lambda label: bare_name(label) == bare)
        for check in checks:
            if found := [index for index, label in labels if check(label)]:
                return found
        return []

    def may_be_called(self, wanted: str, indexes: Sequence[int]) -> Sequence[int]:
        """The nodes with this name, and those without a name that have parts of it in them: their text may be it."""
        if not wanted or wanted.endswith(CUT):
            return indexes
        folded = self.snapshot.folded_names
        parts = [index for index, name in enumerate(folded) if name and name in wanted]
        plain = without_arrows(wanted)
        return [
            i
            for i in indexes
            if (
                folded[i] == wanted or (plain and plain in folded[i]) if folded[i] else self.has_any(parts, i)
            )
        ]

    def has_any(self, places: Sequence[int], index: int) -> bool:
        """Whether any of the places, which are in order, is inside a node."""
        return bisect_right(places, index) < bisect_left(places, self.snapshot.ends[index])

    def by_content(self, name: Name, indexes: Sequence[int]) -> list[int]:
        """The innermost of the nodes that have a text in them: equal, else containing its words whole.

        A part of a word would be another record: `row 'Ann'` is none of Anna's.
        """
        ways = [name, _includes(name)] if name.mode == "exact" else [name]
        if name.mode == "exact" and name.text.endswith(CUT):
            ways.append(Name(name.text.removesuffix(CUT), "includes"))
        for wanted in ways:
            places = self.places_of(wanted)
            found = [index for index in indexes if self.has_any(places, index)]
            if wanted is not name:
                found = [index for index in found if self.has_words(wanted, index, places)]
            if found:
                ends = self.snapshot.ends
                return [
                    i for i, after in zip(found, [*found[1:], len(ends)], strict=True) if after >= ends[i]
                ]
        return []

    def has_words(self, name: Name, index: int, places: Sequence[int]) -> bool:
        """Whether a node has the words of a text whole, in its text or in the names at some places in it."""
        names, end = self.snapshot.clean_names, self.snapshot.ends[index]
        inside = places[bisect_right(places, index) : bisect_left(places, end)]
        wanted = clean(name.text).casefold()
        texts = [self.snapshot.text_of(index), *(names[place] for place in inside)]
        return any(_has_whole(clean(text).casefold(), wanted) for text in texts)

    def places_of(self, name: Name) -> list[int]:
        """The nodes that have this text or name, in document order."""
        names, folded = self.snapshot.clean_names, self.snapshot.folded_names
        wanted = "" if name.mode == "regex" else clean(name.text).casefold()
        check = _checks(name)[-1]  # the most lenient
        if name.mode == "exact":
            found = {index for index, text in enumerate(folded) if text == wanted}
        else:
            found = {index for index, text in enumerate(names) if text and check(text)}
        runs = self.shown_parts(wanted, range(len(names)), _is_part if name.mode == "exact" else _overlaps)
        return sorted(found | self.by_spanning_text(check, runs, range(len(names))))

    def shown_parts(
        self, wanted: str, indexes: Iterable[int], joins: Callable[[str, str], bool]
    ) -> list[int]:
        """The nodes that show a text which may be a part of the wanted one; all that show any without a wanted one."""
        folded, roles = self.snapshot.folded_names, self.columns.role
        near = [i for i in indexes if folded[i] and (not wanted or joins(folded[i], wanted))]
        return [i for i in near if roles[i] == "text" or self.is_shown_name(i)]

    def beside(self, name: Name, indexes: Sequence[int]) -> list[int]:
        """The nodes beside which a text is said, nearer to it than to the other ones."""
        by_scope: dict[int, list[int]] = {}
        for index in indexes:
            scope = scope_of(self.snapshot.nodes[index])
            by_scope.setdefault(scope.index if scope is not None else -1, []).append(index)
        texts_beside: dict[int, set[str]] = {}
        for members in by_scope.values():
            near = Neighbours(self.snapshot, members)
            for index in members:
                levels = near.levels(self.snapshot.nodes[index])
                close = levels[:1] if len(members) == 1 else levels
                texts_beside[index] = {text for level in close for one in level for text in one}
        for check in _checks(name):
            if found := sorted(index for index, texts in texts_beside.items() if any(map(check, texts))):
                return found
        return []

    def by_text(self, name: Name, indexes: Sequence[int]) -> list[int]:
        names, roles = self.snapshot.clean_names, self.columns.role
        allowed = range(indexes[0], indexes[-1] + 1) if indexes else range(0)
        if name.mode == "exact":
            checks = [(check, _is_part) for check in _checks(name)]
            checks += [(check, _overlaps) for check in _checks(_includes(name))]
        else:
            checks = [(check, _overlaps) for check in _checks(name)]
        wanted = "" if name.mode == "regex" else clean(name.text).casefold()
        for check, joins in checks:
            shown = self.shown_parts(wanted, indexes, joins)
            passed = [i for i in shown if check(names[i])]
            found = {i if self.runs or roles[i] != "text" else self.carrier(i, allowed) for i in passed}
            if not found:
                found = self.by_spanning_text(check, shown, allowed)
            if found:
                return sorted(found)
        return []

    def is_shown_name(self, index: int) -> bool:
        """Whether a name is text that one sees: a link's, a checkbox's, not an image's."""
        role = self.columns.role[index]
        return speaks(self.columns, index) or (role in FIELDS and self.snapshot.ends[index] == index + 1)

    def carrier(self, run: int, allowed: range) -> int:
        """The element that shows a text run: what one can act on around it if that says nothing more."""
        parents, text = self.snapshot.parents, self.snapshot.clean_names[run]
        element = parents[run]
        if element not in allowed or self.is_drawing_with_more(element, text):
            return run
        at = element
        for _ in range(4):
            if self.columns.flags[at] & State.ACTIONABLE:
                return at if self.snapshot.text_of(at) == text else element
            at = parents[at]
            if at not in allowed:
                break
        return element

    def is_drawing_with_more(self, index: int, text: str) -> bool:
        """Whether it is a drawing in which a text is one of several: its middle is whatever is drawn there."""
        tag = self.columns.tag[index].partition(".")[0]
        return tag in {"svg", "g"} and self.snapshot.text_of(index) != text

    def by_spanning_text(self, check: Callable[[str], bool], runs: Sequence[int], allowed: range) -> set[int]:
        """The deepest elements whose text over several runs passes."""
        parents, ends = self.snapshot.parents, self.snapshot.ends
        seen: set[int] = set()
        for run in runs:
            at = parents[run]
            for _ in range(4):
                if at not in allowed:
                    break
                seen.add(at)
                at = parents[at]
        several = [i for i in seen if 2 < ends[i] - i < 60]
        found = sorted(i for i in several if check(self.snapshot.text_of(i)))
        return {i for i in found if not self.has_any(found, i)}

    def by_css(self, selector: Selector, indexes: Iterable[int]) -> list[int]:
        found, allowed = self.snapshot.by_css(selector.css or ""), set(indexes)
        if found is None:
            raise SelectorError(
                f"css {selector.css!r} needs the page itself: this snapshot was taken without it",
                hint="use page.find, page.count, page.text or an action, which look on the page; or a role selector",
            )
        return [index for index in found if index in allowed]


def _arrow_checks(name: Name) -> list[Callable[[str], bool]]:
    """Tests of a name that a page shows with an arrow by now, or without: a column is sorted, a menu is open.

    Two arrows that differ are two names: "Move ↑" and "Move ↓".
    """
    plain, folded = without_arrows(name.text), clean(name.text).casefold()
    if name.mode != "exact" or not plain:
        return []
    if plain == folded:
        return [lambda label: without_arrows(label) == plain]
    return [lambda label: label.casefold() == plain]


def _is_part(text: str, wanted: str) -> bool:
    """Whether a text can be one of several that are the wanted one together."""
    return text in wanted


def _overlaps(text: str, wanted: str) -> bool:
    """Whether a text can be one of several that have the wanted one in them: it is a part of it, or laps over."""
    if not text or text in wanted or wanted in text:
        return True
    sizes = range(1, min(len(text), len(wanted)))
    return any(text.endswith(wanted[:size]) or text.startswith(wanted[-size:]) for size in sizes)


def _has_whole(text: str, wanted: str) -> bool:
    """Whether a text has another one in it that ends in no word of it; scripts without case have no such ends."""
    at = text.find(wanted)
    while at >= 0:
        before, after = text[:at][-1:] + wanted[:1], wanted[-1:] + text[at + len(wanted) :][:1]
        if not any(len(pair) == 2 and all(map(_is_of_word, pair)) for pair in (before, after)):
            return True
        at = text.find(wanted, at + 1)
    return False


def _is_of_word(char: str) -> bool:
    return char.isdigit() or char.lower() != char.upper()


def _includes(name: Name) -> Name:
    return Name(name.text, "includes")


def _covers(spans: Sequence[tuple[int, int]] | None, index: int) -> bool:
    return spans is None or any(first <= index < last for first, last in spans)


def _checks(name: Name) -> list[Callable[[str], bool]]:
    """The tests of a name, strictest first; a later one counts only where no earlier one finds anything."""
    if name.mode == "regex":
        pattern = re.compile(name.text, re.IGNORECASE if name.ignore_case else 0)
        return [lambda label: pattern.search(label[:_LONGEST]) is not None]
    wanted = clean(name.text)
    folded = wanted.casefold()
    if name.mode == "includes":
        return [lambda label: folded in label.casefold()]
    checks: list[Callable[[str], bool]] = [
        lambda label: label == wanted,
        lambda label: label.casefold() == folded,
    ]
    if folded.endswith(CUT) and folded != CUT:
        checks.append(lambda label: label.casefold().startswith(folded.removesuffix(CUT)))
    return checks
