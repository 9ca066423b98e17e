"""The inputs of one run: checked, converted, defaults filled in; and the line of Python that gives them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from ipaddress import ip_address
from numbers import Real
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from skillbook.errors import InvalidInput, MissingInput
from skillbook.policy.secrets import Secret
from skillbook.policy.urls import odd_host, origin_of
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.templates import Value
from skillbook.warning import warn_user

Empty = Literal["refuse", "default"]
_YES, _NO = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


def is_blank(value: object) -> bool:
    """Whether a value stands for none: None, or what a table has for an empty cell (nan, NaT, NA)."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA, which is neither
        return True
    except ValueError:  # a whole table
        return False


def merge_inputs(
    inputs: Mapping[str, Any] | None, more: Mapping[str, Any], empty: Empty = "refuse"
) -> dict[str, Any]:
    """The inputs of a call, given as a mapping and by keyword.

    empty: "default" leaves blank values out, so that their inputs have their defaults.
    Raises InvalidInput: one is given twice.
    """
    if empty not in get_args(Empty):
        raise InvalidInput(f"empty={empty!r} is no rule for blank values", hint="'refuse' or 'default'")
    given = dict(inputs or {})
    if twice := sorted(given.keys() & more.keys()):
        raise InvalidInput(f"given twice: {', '.join(twice)}", hint="give each input once")
    given |= more
    return {name: value for name, value in given.items() if not (empty == "default" and is_blank(value))}


def refuse_blank(skill: str, name: str, value: object) -> None:
    """Refuse a value that stands for none, or is no finite number.

    Raises InvalidInput: with the input's name.
    """
    if is_blank(value) or (isinstance(value, Real) and not math.isfinite(value)):
        raise InvalidInput(
            f"{skill}: the input {name!r} is {value!r}",
            hint="leave it out for its default, or give empty='default'",
            input=name,
        )


def bind_inputs(spec: SkillSpec, given: Mapping[str, Any], page_url: str = "") -> dict[str, Value]:
    """Every input's value for a run.

    given: values by name; texts such as '5' or 'true' are converted where the input has another type.
    Raises MissingInput: required ones without value. InvalidInput : unknown ones, or values of another type.
    """
    known = {one.name: one for one in spec.inputs}
    extra = [name for name in given if name not in known]
    if extra:
        raise InvalidInput(
            f"{spec.name} has no input {', '.join(repr(name) for name in extra)}",
            hint=f"its inputs are: {describe_inputs(spec)}",
            inputs=sorted(extra),
        )
    values: dict[str, Value] = {}
    missing: list[str] = []
    for one in spec.inputs:
        if one.name in given:
            values[one.name] = as_input(spec, one, given[one.name])
        elif one.from_page and local_origin(page_url):
            values[one.name] = local_origin(page_url)
        elif one.default is not None:
            values[one.name] = one.default
        elif one.required:
            missing.append(one.name)
        else:
            values[one.name] = ""
    if missing:
        raise MissingInput(
            f"{spec.name} needs a value for {', '.join(repr(name) for name in missing)}",
            hint=f"its inputs are: {describe_inputs(spec)}",
            inputs=missing,
        )
    return values


def as_input(spec: SkillSpec, one: SkillInput, raw: Any) -> Value:
    """A value as an input takes it.

    Raises InvalidInput: it is blank, of another type, or none of the input's choices.
    """
    refuse_blank(spec.name, one.name, raw)
    if isinstance(raw, str) and "${secret:" in raw and not isinstance(raw, Secret):
        raise InvalidInput(
            f"{spec.name}: the input {one.name!r} names a secret in plain text",
            hint="give sb.secret('name') instead",
        )
    value = raw.item() if hasattr(raw, "item") and not isinstance(raw, str | int | float) else raw
    converted = _as_type(one.type, value)
    if converted is None:
        raise InvalidInput(
            f"{spec.name}: the input {one.name!r} must be {one.type}, not {type(raw).__name__} {ascii(raw)[:60]}",
            hint=f"its inputs are: {describe_inputs(spec)}",
            input=one.name,
        )
    if one.choices and converted not in one.choices:
        raise InvalidInput(
            f"{spec.name}: the input {one.name!r} can't be {ascii(raw)[:60]}",
            hint=f"choose one of {', '.join(str(choice) for choice in one.choices)}",
            input=one.name,
        )
    return _as_site(spec, one, str(converted)) if one.from_page else converted


def _as_site(spec: SkillSpec, one: SkillInput, text: str) -> str:
    """An origin for an input that takes a page's; a path or more behind it would change what the skill opens there."""
    origin = origin_of(text)
    parts = urlsplit(text if origin is not None else "")
    more = parts.path not in {"", "/"} or "@" in parts.netloc or "?" in text or "#" in text
    if origin is None or more or odd_host(parts.netloc, parts.hostname or ""):
        raise InvalidInput(
            f"{spec.name}: the input {one.name!r} can't be {ascii(text)[:60]}",
            hint="give scheme, host and port alone, such as https://example.com",
            input=one.name,
        )
    return origin


def _as_type(wanted: str, value: Any) -> Value | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if wanted == "bool":
        if isinstance(value, str):
            text = value.strip().lower()
            return True if text in _YES else False if text in _NO else None
        return value if isinstance(value, bool) else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if wanted == "str":
        return value if isinstance(value, str) else str(value)
    try:
        number = float(value)
        if wanted == "float":
            return number if math.isfinite(number) else None
        return int(value) if isinstance(value, str) or number.is_integer() else None
    except (ValueError, OverflowError):
        return None


def named_model(skill: str, inputs: Sequence[SkillInput], unnamed: Sequence[Any], model: Any) -> Any:
    """The model of a call `run(page, *unnamed, model=model)`: only a page stands without its name.

    Raises TypeError: an input was given without its name.
    """
    if not unnamed:
        return model
    if len(unnamed) == 1 and model is None and hasattr(unnamed[0], "invoke"):
        warn_user("the model is given by name: run(page, model=…)", FutureWarning)
        return unnamed[0]
    first = next((one.name for one in inputs), "input")
    raise TypeError(
        f"{skill}: inputs and model are given by name: run(page, {first}={unnamed[0]!r}), or inputs={{…}}"
    )


def describe_inputs(spec: SkillSpec) -> str:
    """The inputs in one line, such as `query: str = 'lamp', pages: int`."""
    return ", ".join(_signature(one) for one in spec.inputs) or "none"


def _signature(one: SkillInput) -> str:
    default = "" if one.default is None else f" = {one.default!r}"
    return f"{one.name}: {one.type}{default}"


def local_origin(url: str) -> str:
    """The origin of an address on this machine, or ''."""
    origin = origin_of(url) or ""
    host = urlsplit(origin).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return origin
    try:
        return origin if ip_address(host).is_loopback else ""
    except ValueError:
        return ""


def call_text(name: str, inputs: Sequence[SkillInput]) -> str:
    """The call that runs a skill on `page`, with `...` where a value is missing; what the page gives is left out."""
    wanted = [one for one in inputs if not one.from_page and (one.required or one.default is not None)]
    given = "".join(f", {one.name}={_value_of(one)}" for one in wanted)
    return f"sb.load_skill({name!r}).run(page{given})"


def insert_button(name: str, inputs: Sequence[SkillInput]) -> str:
    """The button that writes the call of a skill into a cell."""
    return cell_button(call_text(name, inputs), "Insert as cell")


def cell_button(code: str, label: str) -> str:
    """A button as HTML; it shows only where skillbook's extension of JupyterLab can write a cell."""
    code = escape(code)
    return (
        f'<button type="button" class="skillbook-insert" style="display:none" data-code="{code}" title="{code}">'
        f"{escape(label)}</button>"
    )


def _value_of(one: SkillInput) -> str:
    if one.default is not None:
        return repr(one.default)
    return repr(one.choices[0]) if one.choices else "..."
