"""Which field of a form takes which value, how it is put there, and which of a page's tools does the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from skillbook import lexicon
from skillbook.goals.goal_words import content_words
from skillbook.perception.action_intent import action_intent
from skillbook.perception.forms import bare_name, caption_of
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import FIELDS, words
from skillbook.perception.text.rendering import arguments
from skillbook.policy.secrets import Secret
from skillbook.protocol.commands.page_tools import PageTool
from skillbook.session.actions.custom_select import is_custom_widget, shows_beside, takes_text
from skillbook.skill.builtin.builtin_skill import Details, inside, plain, refuse, step, usable
from skillbook.skill.model.spec_steps import SkillStep

_CHECKS = words("checkbox switch radio menuitemcheckbox menuitemradio")
_SAME = words("email phone first_name last_name full_name postal_code city street country username message")
"""Meanings of which one word is as good as another for a field's name."""


@dataclass(frozen=True)
class Setting:
    """One value on its field: how it is put there, and what the field holds then.

    holds: texts that it shows, or whether it is set; None where nobody may read that.
    """

    key: str
    node: Node
    command: str
    params: Mapping[str, Any]
    holds: tuple[str, ...] | bool | None

    @property
    def steps(self) -> list[SkillStep]:
        """The steps that put it there; a list for which a text is typed takes or drops it as the focus leaves."""
        first = step(self.command, self.node, f"set {self.key}", **self.params)
        leaves = self.command == "fill" and opens_list(self.node)
        return [first, step("press", self.node, f"leave {self.key}", key="Tab")] if leaves else [first]

    def typed(self) -> Setting | None:
        """The same value typed, where the field takes text beside the options that it suggests."""
        if (
            self.command != "select"
            or "editable" not in self.node.states
            or not isinstance(self.holds, tuple)
        ):
            return None
        return (
            replace(self, command="fill", params={"value": self.holds[0]}) if len(self.holds) == 1 else None
        )

    def problem(self, after: BaseSnapshot) -> str:
        """Why the field doesn't hold the value; "" where it does, or where nobody may read that."""
        ref = str(self.node.ref)
        if self.holds is None or ref not in after:
            return ""
        node = after[ref]
        if isinstance(self.holds, bool):
            is_set = bool({"checked", "selected", "pressed"} & node.states)
            return "" if is_set is self.holds else f"{self.key} is {'set' if is_set else 'not set'}"
        if all(_holds(node, text) for text in self.holds):
            return ""
        return f"{self.key} holds {(node.value or '')[:40]!r}"


def _holds(node: Node, text: str) -> bool:
    shown, wanted = plain(node.value or node.label), plain(text)
    if shown == wanted or shown.replace(" ", "") == wanted.replace(" ", ""):
        return True
    chosen = [plain(one.name) for one in inside(node) if "selected" in one.states]
    return any(wanted in one for one in chosen) or (opens_list(node) and shows_beside(node, text))


def fields_of(snapshot: BaseSnapshot) -> list[Node]:
    """The fields of a page that can be set."""
    # Of a native list of several choices, only the options are pressed.
    nodes = (node for node in snapshot.nodes if node.actionable or node.tag.partition(".")[0] == "select")
    return [node for node in nodes if _is_field(node) and usable(node) and not _is_fixed(node)]


def _is_field(node: Node) -> bool:
    return node.role in (FIELDS - {"radiogroup"}) or "editable" in node.states or opens_list(node)


def _is_fixed(node: Node) -> bool:
    """Whether a field's value can't be changed; lists that can't be typed into are read-only for the browser."""
    return "disabled" in node.states or ("readonly" in node.states and not opens_list(node))


def opens_list(node: Node) -> bool:
    """Whether it is a field that a script draws, and that opens a list of options."""
    if node.role not in {"combobox", "textbox", "button"} or not is_custom_widget(node) or takes_text(node):
        return False
    return node.role != "button" or node.extra.get("haspopup") == "listbox"


def bind_values(details: Details, values: Mapping[str, Any], fields: Sequence[Node]) -> list[Setting]:
    """Which field takes which value.

    Raises Unbound: a value has no field, several, or one that another value has.
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
        own = [
            (score, node)
            for node in fields
            if (score := _likeness(key, node)) and (_is_list(node) or opens_list(node))
        ]
        if own:
            node = details.pick(key, own, what)
            texts = tuple(str(one) for one in value)
            return [Setting(key, node, "select", {"values": list(texts)}, texts)]
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
    if _is_list(node) or opens_list(node):
        return Setting(key, node, "select", {"values": [text]}, (text,))
    hidden = isinstance(value, Secret) or "secret" in node.states
    return Setting(key, node, "fill", {"value": text}, None if hidden else (text,))


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
    """How surely a field is called by a key: what people read of it counts more than what its markup calls it.

    A name with a word more is another field: "Previous name" is no "Name".
    """
    wanted = plain(key)
    shown = [
        plain(name)
        for one in _shown_names(node)
        for name in dict.fromkeys((one, bare_name(one, "required" in node.states)))
    ]
    names = [*shown, *(plain(one) for one in (node.html_name, node.html_id) if one)]
    for at, name in enumerate(names):
        if name.replace(" ", "") == wanted.replace(" ", ""):
            return 1.0 - 0.02 * at if at < len(shown) else 0.85
    if any(lexicon.is_all(same, wanted) and lexicon.is_all(same, name) for name in names for same in _SAME):
        return 0.7
    words_of_names = [set(content_words(name)) for name in shown]
    return 0.4 if any(words and set(content_words(wanted)) <= words for words in words_of_names) else 0.0


def _shown_names(node: Node) -> list[str]:
    return [one for one in (node.label, node.placeholder, _caption(node), caption_of(node)) if one]


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


_GAP = re.compile(r"[_\W]+|(?<=[a-z])(?=[A-Z])")
_YES, _NO = {"true", "yes", "on"}, {"false", "no", "off"}


def tool_that_searches(snapshot: BaseSnapshot) -> tuple[str, str] | None:
    """The one tool that says it searches and needs one text, and that argument's name."""
    found = []
    for tool in _own(snapshot):
        given = arguments(tool)
        needed = [name for name, facts in given.items() if facts["required"]] or list(given)
        says = {action_intent(_GAP.sub(" ", tool.name)), action_intent(tool.description)}
        if "search" in says and len(needed) == 1 and given[needed[0]].get("type") == "string":
            found.append((tool.name, needed[0]))
    return found[0] if len(found) == 1 else None


def tool_that_takes(snapshot: BaseSnapshot, values: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The one tool whose arguments are called like the values and that needs no others, and its arguments.

    None where a value is a secret: a tool is the page's code.
    """
    if any(isinstance(value, Secret) for value in values.values()):
        return None
    found = []
    for tool in _own(snapshot):
        declared = arguments(tool)
        names = {plain(_GAP.sub(" ", name)): name for name in declared}
        keys = {names.get(plain(_GAP.sub(" ", key))): value for key, value in values.items()}
        needed = {name for name, facts in declared.items() if facts["required"]}
        if None in keys or len(keys) != len(values) or not needed <= keys.keys():
            continue
        args = {str(name): _as(declared[str(name)].get("type"), value) for name, value in keys.items()}
        if None not in args.values():
            found.append((tool.name, args))
    return found[0] if len(found) == 1 else None


def _own(snapshot: BaseSnapshot) -> list[PageTool]:
    """The page's tools without those of frames, which may be other people's."""
    return [tool for tool in snapshot.page_tools if not tool.frame]


def _as(kind: Any, value: Any) -> Any:
    """A value as JSON of a declared type; None where it is no such value."""
    try:
        if kind in {"integer", "number"}:
            number = float(value)
            return int(number) if number.is_integer() else number if kind == "number" else None
        if kind == "boolean":
            if isinstance(value, bool):
                return value
            text = plain(str(value))
            return True if text in _YES else False if text in _NO else None
    except (TypeError, ValueError):
        return None
    return as_text(value) if kind == "string" else value
