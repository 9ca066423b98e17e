"""A page's text made to fit a budget: repetition is folded first, then what is off the screen goes.

Nothing that is left out is out of reach: every mark of an omission says how to get the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from skillbook.perception.escape import clean, quote
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import DIALOGS, LANDMARKS
from skillbook.perception.text.lines import Line, walk
from skillbook.perception.text.omissions import leave_out_repeated_names, without_named_refs
from skillbook.perception.text.tokens import count_tokens

_FOLD_FROM = 6  # lines of one kind in a row
_SAMPLES = (40, 30, 20, 15, 10, 7, 5, 4, 3, 2, 1)
_SAMPLES_OF_CHOSEN = 5  # where folding alone won't do
_LONG_STRING = 160
_LONG_TOKEN = 12
_MARK = 11  # tokens of a mark that lines are left out
_MOST_PARTS = 30
_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"')
_MOST_SECTIONS = 40  # blocks with headings that aren't folded: they are a page's outline
_ASIDE = frozenset({"navigation", "complementary", "contentinfo"})
_LARGE_ASIDE = 16  # lines under a landmark that make it a sidebar, rather than a bar
_OUTLINE = LANDMARKS | DIALOGS | {"heading"}
_NEVER_FOLDED = _OUTLINE | {"text", "flow"}


@dataclass
class _Entry:
    """A line at its place, with what is above it."""

    line: Line
    depth: int
    above: int  # index of the entry it is under, -1 at the top
    text: str
    cost: int = 0
    kept: bool = False
    aside: bool = False


def fit(
    snapshot: BaseSnapshot,
    head: list[str],
    lines: list[Line],
    budget: int,
    named: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The lines as text of at most so many tokens; `named` has the refs that it leaves out, as `named_refs` does."""
    start = sum(count_tokens(line) + 1 for line in head)
    fitting = _fitting(_entries(lines), budget - start, named)
    if fitting is None:
        fitting = _most_samples(snapshot, lines, budget - start, named)
    if fitting is not None:
        return _join(head, fitting, named)
    folded = _fold(snapshot, lines, _SAMPLES_OF_CHOSEN)
    return _choose(head, [_shortened(entry) for entry in _entries(folded)], budget, start, named)


def _most_samples(
    snapshot: BaseSnapshot, lines: list[Line], budget: int, named: Mapping[str, str]
) -> list[_Entry] | None:
    """The lines with as many samples of each run as fit; None where a single one is too many.

    With fewer samples a text is shorter, so the number is searched for by halves.
    """
    best: list[_Entry] | None = None
    first, end = 0, len(_SAMPLES)
    while first < end:
        middle = (first + end) // 2
        folded = _fold(snapshot, lines, _SAMPLES[middle])
        fitting = _fitting(map(_shortened, _entries(folded)), budget, named)
        if fitting is None:
            first = middle + 1
        else:
            best, end = fitting, middle
    return best


def _entries(lines: list[Line]) -> Iterator[_Entry]:
    above: dict[int, int] = {}  # the last entry of each depth
    for place, (depth, line) in enumerate(walk(lines)):
        above[depth] = place
        yield _Entry(line, depth, above[depth - 1] if depth else -1, str(line))


def _fitting(entries: Iterable[_Entry], budget: int, named: Mapping[str, str]) -> list[_Entry] | None:
    """The entries, if they cost no more than so many tokens; what comes after that isn't looked at."""
    kept: list[_Entry] = []
    spent = 0
    for entry in entries:
        # A text that is far too long needn't be counted to its end.
        most = max(0, budget - spent) * _LONG_TOKEN
        if len(entry.text) > most and count_tokens(entry.text[:most]) > budget - spent:
            return None
        entry.cost = _cost(entry, named)
        spent += entry.cost
        if spent > budget:
            return None
        kept.append(entry)
    return kept


def _cost(entry: _Entry, named: Mapping[str, str]) -> int:
    return count_tokens(without_named_refs(entry.text, named)) + 2 + entry.depth // 8


def _join(head: list[str], entries: list[_Entry], named: Mapping[str, str]) -> str:
    lines = leave_out_repeated_names((entry.depth, entry.text) for entry in entries)
    return "\n".join([*head, *(without_named_refs(line, named) for line in lines)])


def _shortened(entry: _Entry) -> _Entry:
    """Long strings and very long rows cut."""
    parts = entry.line.parts
    if len(parts) > _MOST_PARTS:
        head = f"{entry.line.head}: " if entry.line.head else ""
        shown = entry.line.separator.join(parts[:_MOST_PARTS])
        entry.text = f"{head}{shown} … {len(parts) - _MOST_PARTS} more"
    entry.text = _STRING.sub(_cut, entry.text)
    return entry


def _cut(match: re.Match[str]) -> str:
    if len(match[1]) <= _LONG_STRING:
        return match[0]
    kept = match[1][:_LONG_STRING]
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return f'"{kept[:-1] if backslashes % 2 else kept}…"'


def _fold(snapshot: BaseSnapshot, lines: list[Line], samples: int, outer: Line | None = None) -> list[Line]:
    """Runs of lines of one kind, each run as a few samples and a count."""
    folded: list[Line] = []
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and _alike(lines[at], lines[end]):
            end += 1
        run = lines[at:end]
        if len(run) >= _FOLD_FROM and not (len(run) <= _MOST_SECTIONS and all(map(_has_heading, run))):
            folded += _sampled(snapshot, run, samples, outer)
        else:
            folded += [_copy(snapshot, line, samples) for line in run]
        at = end
    return folded


def _sampled(snapshot: BaseSnapshot, run: list[Line], samples: int, outer: Line | None) -> list[Line]:
    """The first lines of a run and some that are on the screen, with marks for what lies between."""
    on_screen = [at for at, line in enumerate(run) if line.on_screen][: 2 * samples]
    kept = sorted({*range(min(samples, len(run))), *on_screen})
    sampled: list[Line] = []
    at = 0
    for place in [*kept, len(run)]:
        if place - at > 2:
            sampled.append(_more(snapshot, run[at:place], outer))
        else:
            sampled += [_copy(snapshot, line, samples) for line in run[at:place]]
        if place < len(run):
            sampled.append(_copy(snapshot, run[place], samples))
        at = place + 1
    return sampled


def _alike(one: Line, other: Line) -> bool:
    return (
        one.kind == other.kind
        and one.kind not in _NEVER_FOLDED
        and bool(one.children) == bool(other.children)
    )


def _has_heading(line: Line) -> bool:
    """Whether a block has a heading of its own."""
    return any(part.startswith("heading") for part in line.parts) or any(
        child.kind == "heading" for child in line.children
    )


def _copy(snapshot: BaseSnapshot, line: Line, samples: int) -> Line:
    """The line with the lines under it folded."""
    return replace(line, children=_fold(snapshot, line.children, samples, line)) if line.children else line


def _more(snapshot: BaseSnapshot, rest: list[Line], outer: Line | None) -> Line:
    """The mark that stands for the rest of a run."""
    kind = rest[0].kind
    what = kind if kind == snapshot.columns.role[rest[0].index] and kind != "text" else ""
    mark = Line(rest[0].index, "more", on_screen=any(line.on_screen for line in rest))
    mark.actionable = sum(line.actionable for line in rest)
    text = f"… {len(rest)} more like this"
    first, last = (_ref(snapshot, line) for line in (rest[0], rest[-1]))
    if first and last and kind != "text":
        text += f", {first} to {last}"
    named = clean(snapshot.columns.name[outer.index]) if outer is not None else ""
    if outer is not None and named and outer.head and what:
        place = f"{snapshot.columns.role[outer.index]} {_single(named)}"
        text += f": find_all({quote(f'{what} in {place}')})"
    mark.head = text
    return mark


def _ref(snapshot: BaseSnapshot, line: Line) -> str | None:
    return snapshot.nodes[line.index].ref


def _single(text: str) -> str:
    return "'" + clean(text).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _rank(entry: _Entry) -> int:
    """What is chosen first: what is on the screen, the outline of the page, then the rest; sidebars last."""
    line = entry.line
    if line.kind in _OUTLINE or _has_heading(line):
        return 0 if line.on_screen else 2
    if entry.aside:
        return 6 if line.on_screen else 7
    if line.on_screen:
        return 0 if line.actionable or line.kind == "more" else 1
    if line.kind == "more" or line.children:
        return 3
    return 4 if line.actionable else 5


def _mark_asides(entries: list[_Entry]) -> None:
    """Mark what is in sidebars, long menus and long footers."""
    sizes = [1] * len(entries)
    for at in range(len(entries) - 1, -1, -1):
        if entries[at].above >= 0:
            sizes[entries[at].above] += sizes[at]
    for entry in entries:
        if entry.above >= 0:
            outer = entries[entry.above]
            large = outer.line.kind in _ASIDE and sizes[entry.above] > _LARGE_ASIDE
            entry.aside = outer.aside or large


def _choose(head: list[str], entries: list[_Entry], budget: int, start: int, named: Mapping[str, str]) -> str:
    """The most useful lines, in page order, with marks for what lies between them."""
    _mark_asides(entries)
    order = sorted(range(len(entries)), key=lambda at: (_rank(entries[at]), at))
    room = budget - start - 40
    chosen: list[list[int]] = []
    spent = 0
    for at in order:
        added = []
        cost = 0
        while at >= 0 and not entries[at].kept:
            entry = entries[at]
            entry.cost = entry.cost or _cost(entry, named)
            cost += entry.cost
            added.append(at)
            at = entry.above
        if added and not (added[0] and entries[added[0] - 1].kept):
            cost += _MARK  # what is left out before it
        if not added or spent + cost > room:
            if spent > 0.97 * room:
                break
            continue
        spent += cost
        for place in added:
            entries[place].kept = True
        chosen.append(added)
    text = _with_marks(head, entries, named)
    while chosen and count_tokens(text) > budget:
        surplus = count_tokens(text) - budget
        while chosen and surplus > -20:
            for place in chosen.pop():
                entries[place].kept = False
                surplus -= entries[place].cost
        text = _with_marks(head, entries, named)
    return text


def _with_marks(head: list[str], entries: list[_Entry], named: Mapping[str, str]) -> str:
    written: list[tuple[int, str]] = []
    left: list[_Entry] = []
    for entry in entries:
        if not entry.kept:
            left.append(entry)
            continue
        written += _omitted(left)
        left = []
        written.append((entry.depth, entry.text))
    written += _omitted(left)
    lines = [without_named_refs(line, named) for line in leave_out_repeated_names(written)]
    return "\n".join([*head, *lines, "# not the whole page: find(selector) reaches the rest"])


def _omitted(entries: list[_Entry]) -> list[tuple[int, str]]:
    if not entries:
        return []
    if len(entries) == 1 and not entries[0].line.children and entries[0].cost <= _MARK:
        return [(entries[0].depth, entries[0].text)]
    actionable = sum(entry.line.actionable for entry in entries if not entry.line.children)
    inside = f", {actionable} actionable" if actionable else ""
    return [
        (min(entry.depth for entry in entries), f"… {len(entries)} line{'s' * (len(entries) > 1)}{inside}")
    ]
