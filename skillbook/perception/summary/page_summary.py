"""The page summary: what can be done on a page, bounded in size.

Source: Browser Copilot technical specification, section 5 (MiniPCD).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from skillbook.perception.action_intent import action_intent, login_state
from skillbook.perception.collections.collection_search import find_collections
from skillbook.perception.escape import clean, plain, quote, shorten
from skillbook.perception.focus import focus_in
from skillbook.perception.forms import FieldFacts, caption_of, form_elements, form_key, form_purpose
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import FIELDS, LANDMARKS, words
from skillbook.perception.selectors.locator import build_locator, frame_path
from skillbook.perception.summary.ranking import rank
from skillbook.perception.text.tokens import count_tokens
from skillbook.protocol.snapshot import State

MOST_ACTIONS, MOST_FORMS, MOST_COLLECTIONS = 30, 20, 20
BUDGET = 1500
_ACTIONS = words(
    "button link menuitem menuitemcheckbox menuitemradio tab checkbox radio switch option generic"
)
_HOLD = words("form search dialog alertdialog")
_ABOVE_FOLD = 1.2  # screens
_MOST_FIELDS = 12
_PATH = 0.05


@dataclass(frozen=True)
class Action:
    """Something to activate. `id` is its ref; `items` counts the like ones of a collection that it stands for."""

    id: str
    label: str
    role: str
    kind: str | None
    landmark: str | None
    above_fold: bool
    cluster: str
    collection: str | None = None
    items: int = 1


@dataclass(frozen=True)
class FormField:
    """A field of a form; `html_name` is the one that it is sent under."""

    ref: str
    label: str
    type: str
    required: bool
    html_name: str | None = None


@dataclass(frozen=True)
class Form:
    """Fields that belong together, and what submits them."""

    id: str
    purpose: str | None
    landmark: str | None
    fields: Sequence[FormField]
    submit: str | None
    submit_label: str | None


@dataclass(frozen=True)
class ListOfItems:
    """A collection in a few words; `count` is what it has in all, which may be estimated."""

    id: str
    name: str
    kind: str
    fields: Sequence[str]
    count: int
    landmark: str | None
    estimated: bool = False


Entry: TypeAlias = Action | Form | ListOfItems


@dataclass(frozen=True)
class PageSummary:
    """Landmarks, at most 30 actions, 20 forms and 20 collections of a page."""

    snapshot: BaseSnapshot = field(repr=False)
    login: Literal["in", "out", "unknown"]
    landmarks: Sequence[str]
    actions: Sequence[Action]
    forms: Sequence[Form]
    collections: Sequence[ListOfItems]
    on_ranked: Callable[[float], object] | None = field(default=None, repr=False, compare=False)
    """Called with the milliseconds that each query took."""

    @property
    def url(self) -> str:
        """The page's address."""
        return self.snapshot.url

    @property
    def title(self) -> str:
        """The page's title."""
        return self.snapshot.title

    @property
    def origin(self) -> str:
        """The origin of the page's address; "null" for addresses that have none, such as `data:`."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else "null"

    @property
    def ts(self) -> int:
        """When the page was read, in milliseconds since 1970."""
        return round(self.snapshot.taken_at * 1000)

    @property
    def viewport(self) -> tuple[int, int]:
        """Width and height of what is seen of the page, in CSS pixels."""
        return self.snapshot.main.viewport

    @property
    def metrics(self) -> dict[str, float]:
        """`ariaCoverage`, the share of controls that have an accessible name (1 for none), and the viewport's size."""
        controls = self.snapshot.elements
        named = sum(bool(node.name) for node in controls)
        width, height = self.viewport
        covered = named / len(controls) if controls else 1.0
        return {"ariaCoverage": round(covered, 3), "viewportW": width, "viewportH": height}

    @property
    def focused_role(self) -> str | None:
        """The role of what keys go to; `None` for the page itself."""
        holder = focus_in(self.snapshot)[1]
        return None if holder is None else holder.role

    def text(self, budget: int = BUDGET) -> str:
        """The summary as lines of at most so many tokens."""
        lines = [f"# {shorten(clean(self.title), 100)} {shorten(clean(self.url), 160)}"]
        focused = f"; focus: {self.focused_role}" if self.focused_role else ""
        lines.append(f"login: {self.login}; landmarks: {', '.join(self.landmarks) or 'none'}{focused}")
        shares: tuple[tuple[str, Sequence[Entry]], ...] = (
            ("forms", self.forms),
            ("collections", self.collections),
            ("actions", self.actions),
        )
        spent = sum(count_tokens(line) + 1 for line in lines)
        for title, things in shares:
            if not things:
                continue
            lines.append(f"{title}:")
            for place, thing in enumerate(things):
                line = f"- {entry_line(thing)}"
                spent += count_tokens(line) + 1
                if spent > budget - 30:
                    lines.append(f"- … {len(things) - place} more: query(text)")
                    return "\n".join(lines)
                lines.append(line)
        return "\n".join(lines)

    def query(self, text: str, kind: str | None = None, top_k: int = 10) -> list[tuple[float, Entry]]:
        """What fits a text best, with scores, best first; of every action on the page, not only those listed.

        Parameters
        ----------
        text : what is looked for; alternatives may be separated by "|".
        kind : "action", "form" or "collection", or what one is for, such as "login", "download" or "filter".
        top_k : how many at most.
        """
        started = time.perf_counter()
        things = [thing for thing in self._everything if kind is None or kind in _kinds(thing)]
        words = {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 2}
        bonus = [_bonus(thing) + _PATH * bool(words & self._path_words(thing)) for thing in things]
        found = rank(text, [_words(thing) for thing in things], bonus)[:top_k]
        if self.on_ranked is not None:
            self.on_ranked((time.perf_counter() - started) * 1000)
        return [(score, things[at]) for score, at in found]

    def nodes_for(self, text: str) -> list[Node]:
        """The elements of what fits a text best, at most ten; what has no ref can't be acted on and is left out."""
        return [self.snapshot[each.id] for _, each in self.query(text) if each.id]

    def details(self, id: str) -> dict[str, Any]:
        """An entry's selectors, landmark and frame, and the frames' names or addresses, outermost first."""
        node = self.snapshot[id]
        selectors = [str(selector) for selector in build_locator(node).selectors]
        return {
            "id": id,
            "selector": selectors[0],
            "alternatives": selectors[1:],
            "landmark": node.landmark,
            "frame": node.frame,
            "frame_path": list(frame_path(node)),
        }

    def _path_words(self, thing: Entry) -> set[str]:
        """The words of the address that a link leads to."""
        href = self.snapshot[thing.id].href if isinstance(thing, Action) else None
        return set(re.findall(r"[^\W_]+", unquote(urlsplit(href).path).casefold())) if href else set()

    @cached_property
    def all_actions(self) -> Sequence[Action]:
        """Every action of the page, also beyond those that are listed."""
        return _actions(self.snapshot, self.collections)

    @cached_property
    def _everything(self) -> Sequence[Entry]:
        return [*self.all_actions, *self.forms, *self.collections]

    def __repr__(self) -> str:
        counts = f"{len(self.actions)} actions, {len(self.forms)} forms, {len(self.collections)} collections"
        return f"<PageSummary {quote(self.title, 60)} {clean(self.url)[:120]}: {counts}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": self.to_html()}

    def to_html(self) -> str:
        """The summary as static, escaped HTML: what it counts, then each kind of entry as a list."""
        from html import escape

        parts = [f"<b>{escape(clean(self.title))}</b> <code>{escape(clean(self.url))}</code>"]
        parts.append(
            f"<div>login: {self.login}; landmarks: {escape(', '.join(self.landmarks) or 'none')}</div>"
        )
        things: dict[str, Sequence[Entry]] = {
            "forms": self.forms,
            "collections": self.collections,
            "actions": self.actions,
        }
        for title, entries in things.items():
            if entries:
                items = "".join(f"<li>{escape(entry_line(entry))}</li>" for entry in entries)
                parts.append(
                    f"<details open><summary>{len(entries)} {title}</summary><ul>{items}</ul></details>"
                )
        return f'<div class="skillbook-summary">{"".join(parts)}</div>'


def summarize(snapshot: BaseSnapshot) -> PageSummary:
    """The summary of a page."""
    collections = [
        ListOfItems(
            c.ref or "",
            shorten(clean(c.name), 60),
            c.kind,
            [shorten(clean(f), 30) for f in c.fields[:8]],
            c.total,
            c.node.landmark,
            c.estimated,
        )
        for c in find_collections(snapshot)
        if not c.minor
    ][:MOST_COLLECTIONS]
    actions = sorted(_actions(snapshot, collections), key=lambda action: (-_worth(action), _place(action.id)))
    return PageSummary(
        snapshot,
        login_state(snapshot),
        list(dict.fromkeys(node.role for node in snapshot.nodes if node.role in LANDMARKS)),
        actions[:MOST_ACTIONS],
        _forms(snapshot)[:MOST_FORMS],
        collections,
    )


def _actions(snapshot: BaseSnapshot, collections: Sequence[ListOfItems]) -> list[Action]:
    """One action for each label in a landmark; those that repeat in a collection's items are one template."""
    fold = _ABOVE_FOLD * snapshot.main.viewport[1]
    holders = [snapshot[c.id] for c in collections if c.id]
    spans = [(str(node.ref), range(node.index, snapshot.ends[node.index])) for node in holders]
    found: dict[tuple[Any, ...], Action] = {}
    for node in _content(snapshot):
        if node.role not in _ACTIONS or node.ref is None:
            continue
        label = shorten(clean(node.label) or (f"{node.hint} (hint)" if node.hint else ""), 80)
        if not label or "disabled" in node.states or _is_wrapper(node):
            continue
        inside = next((id for id, span in spans if node.index in span), None)
        landmark = node.landmark
        # A link that leads to the same part of a site is the same wherever on the page it stands.
        place = _root_of(node.href) if node.href else landmark or ""
        cluster = f"{place}|{node.role}|{label.casefold()}"
        known = found.get((inside, cluster))
        if known is not None:
            found[inside, cluster] = Action(**{**known.__dict__, "items": known.items + 1})
            continue
        found[inside, cluster] = Action(
            node.ref,
            label,
            node.role,
            action_intent(node.hint or label, node.href),
            landmark,
            node.box.y < fold,
            cluster,
            inside,
        )
    return list(found.values())


def _content(snapshot: BaseSnapshot) -> list[Node]:
    """What one can act on, without the parts of the page that the site's hints ignore."""
    ignored = snapshot.ignored_parts
    return [node for node in snapshot.elements if not any(node.index in part for part in ignored)]


def _root_of(href: str) -> str:
    """An address's origin and the first part of its path."""
    return "/".join(re.split(r"[?#]", href, maxsplit=1)[0].split("/")[:4])


def _is_wrapper(node: Node) -> bool:
    """Whether it only stands around something that can be acted on itself."""
    flags = node.snapshot.columns.flags
    inside = range(node.index + 1, node.snapshot.ends[node.index])
    return node.role == "generic" and any(flags[at] & State.ACTIONABLE for at in inside)


def _worth(action: Action) -> float:
    main = action.landmark in {None, "main", "search", "form", "region"}
    return (
        2.0 * action.above_fold
        + 1.5 * (action.kind is not None)
        + 1.0 * main
        + 0.7 * (action.role in {"button", "tab"})
        + 0.5 * (action.items > 1)
        - 1.0 * (action.collection is not None and action.items == 1)
    )


def _place(ref: str) -> tuple[int, int]:
    frame, _, number = ref.rpartition("e")
    return int(frame[1:] or 0), int(number)


def _forms(snapshot: BaseSnapshot) -> list[Form]:
    """Groups of fields: by form, search, dialog or fieldset around them, else all that share a landmark."""
    groups: dict[Hashable, list[Node]] = {}
    for node in _content(snapshot):
        is_field = node.role in FIELDS or "editable" in node.states or node.type == "file"
        if is_field and node.role != "radiogroup":
            groups.setdefault((_around(node), form_key(node)), []).append(node)
    forms = []
    for fields in groups.values():
        around = _around(fields[0])
        root = None if around is None else snapshot.nodes[around]
        submit = _submit(root, fields)
        described = [
            FormField(
                str(node.ref),
                _label_of(node),
                node.type or node.role,
                "required" in node.states,
                node.html_name,
            )
            for node in fields
        ]
        forms.append(
            Form(
                str((root.ref if root else None) or fields[0].ref),
                form_purpose(
                    [
                        FieldFacts(f.label, f.type, node.autocomplete or "", node.html_name or "")
                        for f, node in zip(described, fields, strict=True)
                    ],
                    clean(submit.label) if submit else "",
                    root.name if root else "",
                ),
                fields[0].landmark,
                described,
                submit.ref if submit else None,
                shorten(clean(submit.label), 50) if submit else None,
            )
        )
    return forms


def _label_of(field: Node) -> str:
    label = (
        field.name or field.placeholder or caption_of(field) or (f"{field.hint} (hint)" if field.hint else "")
    )
    return shorten(clean(label or field.html_name or ""), 50)


def _around(field: Node) -> int | None:
    """Where the nearest form, search, dialog or fieldset around a field is."""
    return next(
        (up.index for up in field.ancestors if up.role in _HOLD or up.tag in {"form", "fieldset"}), None
    )


def _submit(root: Node | None, fields: Sequence[Node]) -> Node | None:
    """The button that submits: the first one after the last field, of those that do so by their markup."""
    buttons = [node for node in form_elements(fields[0]) if node.role == "button" and node.actionable]
    if root is not None and fields[0].extra.get("form") is None:
        within = range(root.index, root.snapshot.ends[root.index])
        buttons = [node for node in buttons if node.index in within]
    buttons = [node for node in buttons if node.submits] or buttons
    after = [node for node in buttons if node.index > fields[-1].index]
    is_form = root is not None or form_key(fields[0]) is not None
    return next(iter(after or (buttons if is_form else [])), None)


def entry_line(thing: Entry) -> str:
    """An action, form or collection in a line, with its refs."""
    if isinstance(thing, Action):
        kind = f" ({thing.kind})" if thing.kind else ""
        items = f" ×{thing.items}" if thing.items > 1 else ""
        place = f" in {thing.landmark}" if thing.landmark not in {None, "main"} else ""
        return f"{thing.role} {quote(thing.label, 60)} [ref={thing.id}]{kind}{items}{place}"
    if isinstance(thing, Form):
        fields = "; ".join(_fields(thing.fields))
        submit = f" → {quote(thing.submit_label or '', 40)} [ref={thing.submit}]" if thing.submit else ""
        return f"form{f' {thing.purpose}' if thing.purpose else ''}: {fields}{submit}"
    name = f" {quote(thing.name, 50)}" if thing.name else ""
    count = f"about {thing.count:,}" if thing.estimated else str(thing.count)
    return f"{thing.kind}{name} [ref={thing.id}] {count} × {', '.join(map(plain, thing.fields))}"


def entry_refs(thing: Entry) -> list[str]:
    """The refs that an action's, form's or collection's line names."""
    if not isinstance(thing, Form):
        return [thing.id]
    return [*(part.ref for part in thing.fields[:_MOST_FIELDS]), *([thing.submit] if thing.submit else [])]


def _fields(fields: Sequence[FormField]) -> Iterator[str]:
    for part in fields[:_MOST_FIELDS]:
        yield f"{quote(part.label, 40)} {part.type}{'*' if part.required else ''} [ref={part.ref}]"
    if len(fields) > _MOST_FIELDS:
        yield f"{len(fields) - _MOST_FIELDS} more"


def _kinds(thing: Entry) -> set[str | None]:
    if isinstance(thing, Action):
        return {"action", thing.kind}
    return {"form", thing.purpose} if isinstance(thing, Form) else {"collection", thing.kind}


def _words(thing: Entry) -> str:
    if isinstance(thing, Action):
        return re.sub(r"_", " ", f"{thing.label} {thing.kind or ''} {thing.role}")
    if isinstance(thing, Form):
        labels = " ".join(part.label for part in thing.fields)
        return f"{(thing.purpose or '').replace('_', ' ')} {labels} {thing.submit_label or ''} form"
    return f"{thing.name} {' '.join(thing.fields)} {thing.kind}"


def _bonus(thing: Entry) -> float:
    above = isinstance(thing, Action) and thing.above_fold
    return 0.1 * above + 0.1 * (thing.landmark in {"main", "search", "form"})
