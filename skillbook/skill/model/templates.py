"""Placeholders in prompts and steps: `${input:x}`, `${input:x:shown text}` and `${secret:x}`.

`${$}` stands for a dollar sign where one would begin a placeholder, so any text can be written and read back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import quote

from skillbook.errors import InvalidSkill, MissingInput
from skillbook.perception.selectors import Selector
from skillbook.perception.selectors.grammar import Test
from skillbook.policy.secrets import Secret
from skillbook.protocol.commands import COMMANDS

Value = str | int | float | bool
INPUT_NAME = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
SECRET_NAME = r"[A-Za-z][A-Za-z0-9_.-]{0,63}"  # noqa: S105 - a pattern of names
_ADDRESSES = {"href", "src"}
_OF_SITE = re.compile(r"(\[(?:href|src)~?=['\"])\$\{input:site\}")
_TOKEN = re.compile(
    r"\$\{(?P<dollar>\$)\}"
    rf"|\$\{{input:(?P<input>{INPUT_NAME})(?::(?P<shown>[^}}]*))?\}}"
    rf"|\$\{{secret:(?P<secret>{SECRET_NAME})\}}"
)


class Placeholder(NamedTuple):
    """One placeholder: kind is `input` or `secret`, shown is VS Code's placeholder text."""

    kind: str
    name: str
    shown: str = ""


def escape(text: str) -> str:
    """Write a literal text so that no part of it is taken for a placeholder."""
    return re.sub(r"\$(?=\{|\Z)", "${$}", text)


def unescape(text: str) -> str:
    """The literal text that `escape` wrote."""
    return text.replace("${$}", "$")


def lead(text: str) -> tuple[str, str]:
    """The input that an address begins with, or "", and the rest of it."""
    found = _TOKEN.match(text)
    at = found.end() if found is not None and found["input"] else 0
    return text[:at], text[at:]


def over_texts(value: Any, change: Callable[[str], Any]) -> Any:
    """A text changed, or the texts of nested lists and dicts; whatever else is in them stays."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: over_texts(item, change) for key, item in value.items()}
    return [over_texts(item, change) for item in value] if isinstance(value, list | tuple) else value


def put_in(value: Any, given: Mapping[str, Value], encode: Callable[[str], str] = str) -> Any:
    """Put texts that may hold placeholders themselves, which stay, in the place of inputs; others stay as they are.

    A text that is nothing but one placeholder becomes the value itself, with its type.

    given: texts with placeholders, and plain values, by the inputs' names.
    encode: what to do to the plain parts of such a text before they go in.
    """

    def put(text: str) -> Any:
        whole = _TOKEN.fullmatch(text)
        if whole and whole["input"] in given and not isinstance(given[whole["input"]], str):
            return given[whole["input"]]
        return _TOKEN.sub(filled, text)

    def filled(found: re.Match[str]) -> str:
        if found["input"] not in given:
            return found.group()
        text = show(given[found["input"]])
        parts, at = [], 0
        for token in _TOKEN.finditer(text):
            parts += [escape(encode(text[at : token.start()])), token.group()]
            at = token.end()
        return "".join([*parts, escape(encode(text[at:]))])

    return over_texts(value, put)


def placeholders(value: Any) -> Iterator[Placeholder]:
    """Every placeholder in a text, or in the texts of nested lists and dicts."""
    if isinstance(value, str):
        for found in _TOKEN.finditer(value):
            if found["input"]:
                yield Placeholder("input", found["input"], found["shown"] or "")
            elif found["secret"]:
                yield Placeholder("secret", found["secret"])
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from placeholders(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from placeholders(item)


def depends_on_input(*selectors: str) -> bool:
    """Whether one of these selectors names another element for other inputs."""
    return bool(inputs_naming(*selectors))


def inputs_naming(*selectors: str) -> frozenset[str]:
    """The inputs and secrets by which these selectors name another element.

    The site's address that a link's address begins with doesn't count: no value of it means another record.
    """
    return frozenset(found.name for one in selectors for found in placeholders(_OF_SITE.sub(r"\1", one)))


def fill(value: Any, inputs: Mapping[str, Value]) -> Any:
    """Put the inputs into a text, or into the texts of nested lists and dicts.

    A text that is nothing but one placeholder becomes the input itself, with its type. Secrets stay placeholders:
    they are filled by the gateway at the last moment. Placeholders that stand in an input's text don't count.

    inputs: values by name.
    Raises MissingInput: a placeholder names an input without value.
    """

    def put(text: str) -> Value:
        whole = _TOKEN.fullmatch(text)
        return _lookup(inputs, whole["input"]) if whole and whole["input"] else fill_text(text, inputs)

    return over_texts(value, put)


def fill_text(text: str, inputs: Mapping[str, Value], *, encode: Callable[[str], str] = str) -> str:
    """Like `fill`, for one text; the answer is a text always.

    encode: what to do to an input's text before it goes in, such as escaping for a pattern.
    """

    def replace(found: re.Match[str]) -> str:
        if found["dollar"]:
            return found["dollar"]
        if found["secret"]:
            return found.group()
        return encode(show(_lookup(inputs, found["input"])))

    own = {found["secret"] for found in _TOKEN.finditer(text) if found["secret"]}
    used = (inputs.get(found["input"]) for found in _TOKEN.finditer(text) if found["input"])
    given = {name for value in used if isinstance(value, Secret) for name in value.names}
    return Secret.within(_TOKEN.sub(replace, text), own | given)


def fill_url(text: str, inputs: Mapping[str, Value]) -> str:
    """Put the inputs into an address: percent-encoded, but for one that begins it (a site's origin)."""
    first, rest = lead(text)
    return fill_text(first, inputs) + fill_text(rest, inputs, encode=_quoted)


def fill_selector(text: str, inputs: Mapping[str, Value]) -> str:
    """Put the inputs into a role selector's quoted names."""
    return fill_text(text, inputs, encode=quote_name)


def write_selector(selector: Selector, rewrite: Callable[[str], str] = escape) -> str:
    """A selector as a skill's file has it: every name, text, label and address rewritten, the rest escaped."""
    return str(_rewritten(selector, rewrite))


def _rewritten(selector: Selector, rewrite: Callable[[str], str]) -> Selector:
    name = selector.name
    if name is not None:
        plain = selector.kind in {"css", "testid"} or name.mode == "regex"
        name = replace(name, text=(escape if plain else rewrite)(name.text))

    def reworded(test: Test) -> Callable[[str], str]:
        return rewrite if test.key in _ADDRESSES else escape

    return replace(
        selector,
        name=name,
        tests=tuple(
            test
            if isinstance(test.wanted, bool)
            else replace(test, wanted=replace(test.wanted, text=reworded(test)(test.wanted.text)))
            for test in selector.tests
        ),
        beside=replace(selector.beside, text=rewrite(selector.beside.text)) if selector.beside else None,
        within=_rewritten(selector.within, rewrite) if selector.within else None,
        frames=tuple(escape(part) for part in selector.frames),
    )


def quote_name(text: str) -> str:
    """A text as it stands between a selector's quotes."""
    return re.sub(r"([\\'\"])", r"\\\1", text)


def _quoted(text: str) -> str:
    return quote(text, safe="")


def show(value: Value) -> str:
    """An input as text: true and false as YAML and JavaScript write them."""
    if isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_texts(command: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """A command's parameters with numbers and booleans as texts, where the command takes texts."""
    fields = COMMANDS[command].params.model_fields
    texts = {name for name, info in fields.items() if info.annotation is str}
    lists = {name for name, info in fields.items() if info.annotation == list[str]}
    return {
        name: show(value) if name in texts else [show(item) for item in value] if name in lists else value
        for name, value in params.items()
    }


def _lookup(inputs: Mapping[str, Value], name: str) -> Value:
    if name not in inputs:
        raise MissingInput(f"the input {name!r} has no value", hint=f"give {name}=...", input=name)
    return inputs[name]


def check_known(value: Any, inputs: set[str], secrets: set[str], where: str) -> None:
    """Refuse placeholders that name nothing.

    Raises InvalidSkill: an input or a secret that the skill doesn't declare.
    """
    for found in placeholders(value):
        known = inputs if found.kind == "input" else secrets
        if found.name not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise InvalidSkill(
                f"{where} uses ${{{found.kind}:{found.name}}}, which is not declared",
                hint=f"declare it under {found.kind}s; declared are: {listed}",
            )


def has_parts(text: str, parts: list[str]) -> bool:
    """Whether a text is these parts in their order with anything between them.

    Each part is taken where it comes first, so that a pattern of many stars takes no longer than the text is long; a
    regular expression of eight stars backtracks for hours.
    """
    first, *middle = parts
    if not middle:
        return text == first
    last = middle.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True
