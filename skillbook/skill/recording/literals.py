"""Which literals of a run came from its goal, also as a page shows them, and putting inputs in their place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.forms import caption_of
from skillbook.perception.nodes import Node
from skillbook.perception.records import ANY
from skillbook.perception.records.nearest_record import record_of, units_around
from skillbook.perception.roles import CELLS, RECORDS, TABLES
from skillbook.policy.secrets import Secret
from skillbook.policy.urls import origin_of
from skillbook.protocol.snapshot import State
from skillbook.skill.model.spec_base import RESERVED_INPUTS, InputType, SkillInput
from skillbook.skill.model.spec_steps import RUN_SKILL
from skillbook.skill.model.templates import SECRET_NAME, Value, escape, over_texts, placeholders, show
from skillbook.skill.recording.recorded_steps import RecordedStep

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,6})?")
_DATES = ("short", "medium", "long", "full", "MMMM d", "d MMMM", "MMM d", "d MMM", "MM/dd/yyyy", "dd.MM.yyyy")
_NUMBERS = ("#,##0.##", "#,##0.00", "0.00")
_ALWAYS = ("en_US", "en_GB")
_LEAST = 4
"""Shorter ones are other things, too."""


@cache
def renderings(value: str, language: str = "") -> frozenset[str]:
    """What a page may show for a value, folded; without the value itself, and empty for a text.

    language: the page's, such as `de-AT`.
    """
    from babel import Locale, UnknownLocaleError
    from babel.dates import format_date
    from babel.numbers import format_decimal

    day, number = _day(value), _NUMBER.fullmatch(value)
    shown: set[str] = set()
    for name in dict.fromkeys((language.replace("-", "_"), *_ALWAYS)):
        try:
            locale = Locale.parse(name)
        except (ValueError, UnknownLocaleError):
            continue
        if day is not None:
            shown |= {format_date(day, kind, locale=locale) for kind in _DATES}
        elif number is not None:
            shown |= {format_decimal(value, kind, locale=locale) for kind in _NUMBERS}
    folded = {lexicon.fold(clean(text)) for text in shown}
    return frozenset(text for text in folded if len(text) >= _LEAST and text != lexicon.fold(value))


def _day(value: str) -> date | None:
    found = _DATE.fullmatch(value)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def shows_otherwise(text: str, value: str, language: str = "") -> bool:
    """Whether a text has a value in it in another way than it was typed."""
    folded = lexicon.fold(clean(text))
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", folded) for one in renderings(value, language))


_QUOTED = re.compile(r"\"([^\"]+)\"|'([^']+)'(?!\w)|“([^”]+)”|‘([^’]+)’|«\s*([^»]+?)\s*»|„([^“”]+)[“”]")
_CHOSEN_ROLES = {"option", "radio", "menuitemradio"}
_ITEM_ROLES = RECORDS | {"link", "cell", "gridcell", "menuitem"}
_CHROME = {"navigation", "banner", "contentinfo"}
_WAYS = {"link", "menuitem", *_CHOSEN_ROLES}
"""What leads about a site where it stands in its navigation; the items of a list there, such as chats, are data."""
_MOST_CHOICES = 50
_CODE = re.compile(r"[A-Z]{2}")
_LETTER, _WORD = re.compile(r"[^\W\d_]{2}"), re.compile(r"[^\W\d_]{3}")
_DIGIT, _LETTERS = re.compile(r"\d"), re.compile(r"[^\W\d_]{4}")
_NAMED_VALUES = {RUN_SKILL: "inputs", "call_page_tool": "args"}
_QUERY_NAMES = {"q", "s", "query", "search", "keyword", "keywords", "term"}


@dataclass
class Literals:
    """The inputs and secrets found so far, and the texts they stand for.

    goal: what the run was to reach.
    fields: HTML names of the form fields that take an input, so that addresses made of them depend on it.
    free: texts that may be others in a run.
    plain: names of the inputs that name nothing: a number, what a field has by default.
    choices: names of the inputs that are one of a few: another record may have the same.
    given: the parameter that an input is, by the number of its step: two fields may get the same short text.
    since: the number of the step that put a text in first, where one did.
    """

    goal: str
    inputs: list[SkillInput] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    hidden: dict[str, str] = field(default_factory=dict)
    fields: set[str] = field(default_factory=set)
    given: dict[int, dict[str, Any]] = field(default_factory=dict)
    free: tuple[str, ...] = ()
    plain: set[str] = field(default_factory=set)
    choices: set[str] = field(default_factory=set)
    since: dict[str, int] = field(default_factory=dict)

    def before(self, number: int) -> Literals:
        """Those that are known by a step: what is put in later names nothing of what was done before.

        The old city of the record that is edited may happen to be the new one.
        """
        texts = {text: name for text, name in self.texts.items() if self.since.get(text, 0) <= number}
        return replace(self, texts=texts)

    def look_at(self, step: RecordedStep) -> None:
        """Find the inputs and secrets in one step."""
        key = step.spec.text_param if step.spec is not None else None
        if step.input:
            self._marked(step, key)
            return
        if key is not None and isinstance(step.params.get(key), str):
            self._typed(step, key, step.params[key])
        elif step.command == "select":
            self._chosen(step, [str(one) for one in step.params.get("values", []) if self._in_goal(str(one))])
        elif step.command in _NAMED_VALUES:
            for name, value in step.params.get(_NAMED_VALUES[step.command], {}).items():
                if isinstance(value, str) and self._in_goal(value):
                    self._add(name, value, "str", "", None)
        elif step.command == "goto":
            self.look_at_address(str(step.params.get("url", "")))
        elif step.node is not None and self._names_an_item(step.node):
            self._add("item", step.label, "str", f"the {step.role} to {step.command}", None)

    def look_at_address(self, url: str) -> None:
        """Find what of the goal went in by an address: a value of its query, or of the one after `#`."""
        parts = urlsplit(url)
        for name, value in parse_qsl(f"{parts.query}&{parts.fragment.partition('?')[2]}"):
            is_word = _WORD.search(value) is not None and self._in_goal(value)
            if value in self._quoted() or is_word:
                self._add("query" if name.lower() in _QUERY_NAMES else name, value, "str", "", None)

    def look_at_record(self, step: RecordedStep) -> None:
        """Find the record (row, card) that the goal names in quotes and a step acts in: that text is an input.

        Only where no record beside it says the same.
        """
        if step.node is None or step.input:
            return
        unit = next(iter(units_around(step.node)), None)
        record = record_of(step.node)
        if record is None or unit is None:
            return
        named = [text for text in record.texts if text in self._quoted()]
        alone = [text for text in named if not record.role or not unit.others(step.node.snapshot, [text])]
        item = step.node.snapshot.nodes[record.index] if record.role else None
        for text in alone[:1]:
            name = (_column_of(item, text) if item is not None else "") or "item"
            self._add(name, text, "str", f"the {record.role or 'record'} to act in", None)

    def _marked(self, step: RecordedStep, key: str | None) -> None:
        """A person said that this is an input."""
        self._note_field(step.node)
        if key is not None:
            self._fill(step, key, step.input)
        elif step.params.get("values"):
            self._chosen(step, [str(one) for one in step.params["values"]], step.input)
        elif step.called:
            self._add(step.input, step.called, "str", f"the {step.called_role} to {step.command}", None)

    def _typed(self, step: RecordedStep, key: str, text: str) -> None:
        if isinstance(text, Secret):
            self.secrets += [name for name in sorted(text.names) if name not in self.secrets]
        elif text and step.node is not None and step.node.flags & State.SECRET:
            name = secret_name(step.node)
            if name not in self.secrets:
                self.secrets.append(name)
            self.hidden[text] = f"${{secret:{name}}}"
        elif text.strip() and self._in_goal(text):
            self._note_field(step.node)
            self._fill(step, key, field_name(step.node))

    def _fill(self, step: RecordedStep, key: str, name: str) -> None:
        text = str(step.params[key])
        if text not in self.texts:
            self.since[text] = step.number
        added = self._add(name, text, _type_of(text, step.node), step.label, None)
        if step.node is not None and clean(step.node.value or "") == clean(text):
            self.plain.add(added)
        self.given[step.number] = {key: f"${{input:{added}}}"}

    def _chosen(self, step: RecordedStep, values: Sequence[str], name: str = "") -> None:
        named: dict[str, str] = {}
        for value in values:
            self._note_field(step.node)
            added = self._add(name or field_name(step.node), value, "str", step.label, _choices(step.node))
            named[value] = f"${{input:{added}}}"
        if named:
            self.given[step.number] = {
                "values": [named.get(str(one), escape(str(one))) for one in step.params["values"]]
            }

    def _note_field(self, node: Node | None) -> None:
        if node is not None and node.html_name:
            self.fields.add(node.html_name)

    def _names_an_item(self, node: Node) -> bool:
        label = node.label
        if not label or (node.landmark in _CHROME and node.role in _WAYS):
            return False
        if node.role in _CHOSEN_ROLES:
            return self._in_goal(label)
        return node.role in _ITEM_ROLES and label in self._quoted()

    def _quoted(self) -> set[str]:
        return {part for found in _QUOTED.findall(self.goal) for part in found if part}

    def _in_goal(self, text: str) -> bool:
        return _word(text, re.IGNORECASE).search(self.goal) is not None

    def _add(self, name: str, text: str, kind: InputType, label: str, choices: list[Value] | None) -> str:
        if text in self.texts and self.is_one_input(text):
            return self.texts[text]
        default: Value = int(text) if kind == "int" else float(text) if kind == "float" else text
        unique = self.unique(name)
        self.inputs.append(
            SkillInput(
                name=unique,
                type=kind,
                description=" ".join(label.split())[:200],
                default=default,
                choices=choices,
            )
        )
        self.texts.setdefault(text, unique)
        if choices is not None:
            self.choices.add(unique)
        if not _LETTER.search(text):
            self.plain.add(unique)
        return unique

    @staticmethod
    def is_one_input(text: str) -> bool:
        """Whether a text is the same input wherever it was typed: a short one may be the same by chance."""
        return len(text) > 2

    def unique(self, name: str) -> str:
        """A name that no other input has and that can be one's."""
        base = _identifier(name) or "value"
        taken = {one.name for one in self.inputs} | RESERVED_INPUTS
        number, found = 2, base
        while found in taken:
            found, number = f"{base}_{number}", number + 1
        return found

    def names_an_input(self, text: str) -> bool:
        """Whether a text as a skill has it names an input that tells something: no number, and no default."""
        return any(one.kind != "input" or one.name not in self.plain for one in placeholders(text))

    def template(self, text: str) -> str:
        """A text of the run with inputs and secrets in place of their literals."""
        known = {**{text: f"${{input:{name}}}" for text, name in self.texts.items()}, **self.hidden}
        return _replace(
            text, {literal: name for literal, name in known.items() if self._stands_in(literal, text)}
        )

    def _stands_in(self, literal: str, text: str) -> bool:
        """Whether a literal is one in a longer text, too: a short one may be a word there by chance.

        It isn't where the goal quotes it, or where it is a code such as NY.
        """
        return (
            len(literal) > 2 or literal == text or literal in self._quoted() or bool(_CODE.fullmatch(literal))
        )

    def template_value(self, value: Any) -> Any:
        """A parameter with inputs and secrets in place of their literals; one that is no text is left."""
        return over_texts(value, lambda text: str(text) if isinstance(text, Secret) else self.template(text))

    def template_url(self, url: str) -> str:
        """An address with inputs in place of its site and of encoded literals in its query, never in its path."""
        known = {}
        for text, name in self.texts.items():
            if not self._stands_in(text, url):
                continue
            for form in {quote(text, safe=""), quote_plus(text), quote(text), text}:
                known[form] = f"${{input:{name}}}"
        address, mark, fragment = url.partition("#")
        route, asked, values = fragment.partition("?")
        path, question, query = address.partition("?")
        if not question and "=" in path and not re.match(r"\w+:|/", path):
            # A condition may name a part of an address, such as `q=lamp`.
            path, query = "", path
        site = origin_of(path)
        if site in self.texts and path.startswith(str(site)):
            path = f"${{input:{self.texts[str(site)]}}}" + escape(path[len(str(site)) :])
        else:
            path = escape(path)
        return (
            path + question + _replace(query, known) + mark + escape(route) + asked + _replace(values, known)
        )

    def mentions(self, text: str) -> bool:
        """Whether a text has an input's literal in it, in whatever case."""
        folded = text.casefold()
        return any(literal.casefold() in folded for literal in self.texts if len(literal) > 2)

    def is_free(self, text: str) -> bool:
        """Whether a text has something in it that may be another in a run."""
        return any(part in text for part in self.free)

    def lasting(self, text: str, language: str = "") -> str:
        """A text as another run's is compared with it: with `ANY` for what is free, and for inputs in another form."""
        shown = {one for value in self.texts for one in renderings(value, language)}
        if self.shows_otherwise(text, language):
            text = lexicon.fold(clean(text))
        parts = sorted({*self.free, *(one for one in shown if one in text)} - {""}, key=len, reverse=True)
        if not parts:
            return self.template(text)
        return ANY.join(map(self.template, re.split("|".join(map(re.escape, parts)), text)))

    def shows_otherwise(self, text: str, language: str = "") -> str:
        """The input that a text shows in another way than it was typed, as a date in words; "" for none."""
        return next(
            (name for value, name in self.texts.items() if shows_otherwise(text, value, language)), ""
        )

    def scrub(self, text: str) -> str:
        """A text for people with secrets left out."""
        for secret, placeholder in self.hidden.items():
            text = text.replace(secret, placeholder)
        return text

    def shown(self) -> dict[str, str]:
        """Each input's default as text, by name."""
        return {one.name: show(one.default) for one in self.inputs if one.default is not None}


def _replace(text: str, known: Mapping[str, str]) -> str:
    if not known:
        return escape(text)
    longest_first = sorted(known, key=len, reverse=True)
    pattern = re.compile("|".join(_word(literal).pattern for literal in longest_first))
    parts: list[str] = []
    at = 0
    for found in pattern.finditer(text):
        parts += [escape(text[at : found.start()]), known[found.group()]]
        at = found.end()
    return "".join([*parts, escape(text[at:])])


def _word(text: str, flags: int = 0) -> re.Pattern[str]:
    before = r"(?<!\w)" if text[:1].isalnum() else ""
    after = r"(?!\w)" if text[-1:].isalnum() else ""
    return re.compile(before + re.escape(text) + after, flags)


def _type_of(text: str, node: Node | None) -> InputType:
    numeric = node is not None and (node.role in {"spinbutton", "slider"} or node.type in {"number", "range"})
    if numeric and re.fullmatch(r"-?(0|[1-9]\d{0,14})", text):
        return "int"
    if numeric and re.fullmatch(r"-?\d{1,15}\.\d{1,10}", text):
        return "float"
    return "str"


def secret_name(node: Node | None) -> str:
    """What the secret in a field is called, by the field's label."""
    name = _identifier(node.label if node is not None else "") or "password"
    return name if re.fullmatch(SECRET_NAME, name) else "password"


def field_name(node: Node | None) -> str:
    """What the input in a field is called, by the field's label."""
    if node is None:
        return "value"
    kind = "" if node.role == "combobox" else node.type or ""  # a list that is searched isn't a search
    if node.role == "searchbox" or "search" in (node.label + kind).lower():
        return "query"
    caption = caption_of(node)
    return (
        _identifier(node.name)
        or _identifier(_header_over(node))
        or _identifier("" if _DIGIT.search(caption) and not _LETTERS.search(caption) else caption)
        or _identifier(node.html_name or "")
        or _identifier(node.placeholder or "")
        or "value"
    )


def _column_of(row: Node, text: str) -> str:
    """The header over a cell of a row, as an input's name; "" where there is none."""
    cell = next((cell for cell in row.children if clean(cell.text) == text), None)
    return _identifier(_header_over(cell)) if cell is not None else ""


def _header_over(node: Node) -> str:
    """The header of the column that a cell, or what is in one, stands in; "" where there is none."""
    around = [node, *node.ancestors]
    cell = next((one for one in around if one.role in CELLS), None)
    table = next((outer for outer in around if outer.role in TABLES), None)
    if cell is None or cell.parent is None or table is None:
        return ""
    inside = node.snapshot.nodes[table.index : table.snapshot.ends[table.index]]
    heads = [one.label for one in inside if one.role == "columnheader"]
    cells = [one.index for one in cell.parent.children]
    return heads[cells.index(cell.index)] if len(heads) == len(cells) else ""


def _identifier(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)[:3]
    joined = "_".join(words)[:40]
    return f"value_{joined}" if joined[:1].isdigit() else joined


def _choices(node: Node | None) -> list[Value] | None:
    if node is None:
        return None
    names: list[Value] = [child.label for child in node.children if child.role == "option" and child.label]
    return names if 0 < len(names) <= _MOST_CHOICES else None
