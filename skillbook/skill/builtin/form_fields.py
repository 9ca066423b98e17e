"""Which field of a form takes which value, and how it is put there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillbook import lexicon
from skillbook.goals.goal_matching import content_words
from skillbook.perception.forms import caption_of
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import FIELDS
from skillbook.policy.secrets import Secret
from skillbook.skill.builtin.builtin_skill import Details, refuse
from skillbook.skill.builtin.controls import inside, plain, step, usable
from skillbook.skill.model import SkillStep

_CHECKS = frozenset({"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"})
_SAME = (
    "email",
    "phone",
    "first_name",
    "last_name",
    "full_name",
    "postal_code",
    "city",
    "street",
    "country",
    "username",
    "message",
)
"""Meanings of which one word is as good as another for a field's name."""


@dataclass(frozen=True)
class Setting:
    """One value on its field: how it is put there, and what the field holds then."""

    key: str
    node: Node
    command: str
    params: Mapping[str, Any]
    holds: str | bool | None

    @property
    def step(self) -> SkillStep:
        """The step that puts it there."""
        return step(self.command, self.node, f"set {self.key}", **self.params)

    def problem(self, after: BaseSnapshot) -> str:
        """Why the field doesn't hold the value; "" where it does, or where nobody may read that."""
        ref = str(self.node.ref)
        if self.holds is None or ref not in after:
            return ""
        node = after[ref]
        if isinstance(self.holds, bool):
            held = bool({"checked", "selected", "pressed"} & node.states)
            return "" if held is self.holds else f"{self.key} is {'set' if held else 'not set'}"
        shown = plain(node.value or node.label)
        wanted = plain(self.holds)
        same = shown == wanted or shown.replace(" ", "") == wanted.replace(" ", "")
        same = same or wanted in plain(" ".join(one.name for one in inside(node) if "selected" in one.states))
        return "" if same else f"{self.key} holds {(node.value or '')[:40]!r}"


def fields_of(snapshot: BaseSnapshot) -> list[Node]:
    """The fields of a page that can be set."""
    return [
        node
        for node in snapshot.elements
        if usable(node)
        and "readonly" not in node.states
        and (node.role in (FIELDS - {"radiogroup"}) or "editable" in node.states)
    ]


def bind_values(details: Details, values: Mapping[str, Any], fields: Sequence[Node]) -> list[Setting]:
    """Which field takes which value.

    Raises
    ------
    Unbound : a value has no field, several, or one that another value has.
    """
    settings: list[Setting] = []
    for key, value in values.items():
        if value is not None:
            settings += _settings(details, key, value, fields)
    taken: dict[int, str] = {}
    for setting in settings:
        other = taken.setdefault(setting.node.index, setting.key)
        if other != setting.key:
            raise refuse(f"{other!r} and {setting.key!r} would go into one field", setting.key)
    return settings


def _settings(details: Details, key: str, value: Any, fields: Sequence[Node]) -> list[Setting]:
    what = f"field {key!r}"
    if isinstance(value, bool):
        boxes = [(_likeness(key, node), node) for node in fields if node.role in _CHECKS - {"radio"}]
        node = details.pick(key, boxes, f"checkbox {key!r}")
        return [Setting(key, node, "check" if value else "uncheck", {}, value)]
    if isinstance(value, list | tuple | set | frozenset):
        own = [(score, node) for node in fields if (score := _likeness(key, node)) and _is_list(node)]
        if own:
            node = details.pick(key, own, what)
            return [Setting(key, node, "select", {"values": [str(one) for one in value]}, None)]
        return [_option(details, key, str(one), fields) for one in value]
    if any(node.role in _CHECKS and _in_group(node, key) for node in fields):
        return [_option(details, key, str(value), fields)]
    node = details.pick(
        key, [(_likeness(key, node), node) for node in fields if node.role not in _CHECKS], what
    )
    return [_set(key, node, value)]


def _set(key: str, node: Node, value: Any) -> Setting:
    if node.type == "file":
        return Setting(key, node, "upload", {"files": [str(Path(str(value)).absolute())]}, None)
    text = as_text(value)
    if _is_list(node):
        return Setting(key, node, "select", {"values": [text]}, text)
    hidden = isinstance(value, Secret) or "secret" in node.states
    return Setting(key, node, "fill", {"value": text}, None if hidden else text)


def as_text(value: Any) -> str:
    """Numbers without a fraction, dates as ISO, secrets as their placeholder."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _is_list(node: Node) -> bool:
    tag = node.tag.split(".")[0]
    return node.role == "listbox" or tag == "select" or (node.role == "combobox" and tag != "input")


def _option(details: Details, key: str, value: str, fields: Sequence[Node]) -> Setting:
    """The radio button or checkbox of a group that stands for a value."""
    group = [node for node in fields if node.role in _CHECKS and _in_group(node, key)]
    scored = [(1.0 if plain(node.label) == plain(value) else 0.0, node) for node in group]
    if not any(score for score, _ in scored):
        scored = [(0.7 if plain(value) in plain(node.label).split(" ") else 0.2, node) for node in group]
    return Setting(key, details.pick(key, scored, f"option {value!r} of {key!r}"), "check", {}, True)


def _in_group(node: Node, key: str) -> bool:
    around = [up for up in node.ancestors if up.role in {"radiogroup", "group"}][:2]
    named = any(plain(up.label) == plain(key) for up in around)
    return named or (node.role == "radio" and plain(node.html_name or "") == plain(key))


def _likeness(key: str, node: Node) -> float:
    """How surely a field is called by a key."""
    wanted = plain(key)
    names = [
        plain(one)
        for one in (
            node.label,
            node.placeholder,
            node.html_name,
            node.html_id,
            _caption(node),
            caption_of(node),
        )
        if one
    ]
    if wanted in names:
        return 1.0 - 0.02 * names.index(wanted)
    squeezed = wanted.replace(" ", "")
    if any(name.replace(" ", "") == squeezed for name in names):
        return 0.9
    if any(lexicon.is_all(same, wanted) and lexicon.is_all(same, name) for name in names for same in _SAME):
        return 0.8
    told = content_words(wanted)
    best = 0.0
    for name in names[:2]:
        said = content_words(name)
        if told and said and set(told) <= set(said):
            best = max(best, 0.78 - 0.04 * (len(said) - len(told)))
    return best


def _caption(node: Node) -> str:
    """The text right before a field that is called by its value alone, as lists are that a script draws."""
    called = bool(node.label) and plain(node.label) != plain(node.value or "")
    if node.role != "combobox" or not _is_list(node) or called or node.index == 0:
        return ""
    before = node.snapshot.nodes[node.index - 1]
    same = before.parent is not None and before.parent == node.parent
    return before.name if before.role == "text" and same else ""


def holds(settings: Iterable[Setting], after: BaseSnapshot) -> str:
    """What of the values isn't in its field; "" where all are."""
    return "; ".join(problem for setting in settings if (problem := setting.problem(after)))
