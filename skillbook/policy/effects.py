"""Which effect a command has on a given target.

The table gives each command an effect; a target can raise it to irreversible: by its label, by what its form is for
(a payment, credentials), by where and how the form is sent. It never lowers it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from skillbook.policy.labels import danger_of, danger_of_path
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.protocol.commands.read import DescribeResult, FormFacts
from skillbook.protocol.keys import canonical_keys, final_key

_OPENS = {"link", "tab", "textbox", "searchbox", "combobox", "option", "heading", "treeitem"}
_FIELDS = {"textbox", "searchbox", "combobox", "spinbutton"}
_CARD_FIELDS = (
    "cc-",
    "cardnumber",
    "card-number",
    "card_number",
    "cvc",
    "cvv",
    "iban",
    "ccnum",
    "creditcard",
)
_ACTING_KEYS = {"Enter", " ", "Delete", "Backspace"}
"""Keys that set off what has the focus, or delete it."""


def classify(
    command: str,
    *,
    role: str = "",
    label: str = "",
    submits: bool = False,
    secret: bool = False,
    facts: DescribeResult | None = None,
    key: str = "",
) -> Effect:
    """The effect of a command on a target.

    Parameters
    ----------
    command : its name.
    role, label : the target's role and accessible name, as the snapshot has them.
    submits : whether activating the target submits a form.
    secret : whether that form has a secret field, so that credentials would be sent.
    facts : what the page says of the target and its form.
    key : the key, for `press`; for `type` what `key_of` says.

    Returns
    -------
    The table's effect, or `Effect.IRREVERSIBLE` where the target says so; never a lower one.
    """
    effect = COMMANDS[command].effect
    if effect is not Effect.WRITE:
        return effect
    kind = danger(command, role=role, label=label, submits=submits, secret=secret, facts=facts, key=key)
    return Effect.IRREVERSIBLE if kind else effect


def danger(
    command: str,
    *,
    role: str = "",
    label: str = "",
    submits: bool = False,
    secret: bool = False,
    facts: DescribeResult | None = None,
    key: str = "",
) -> str | None:
    """Why a step can't be undone: "pay", "delete", "send", "publish" or "credentials"; None where it can.

    Parameters are those of `classify`.
    """
    spec = COMMANDS[command]
    by_key = spec.presses_keys
    if not spec.activates or (by_key and spec.text_param and not key):
        return None
    if by_key and key and final_key(key) not in _ACTING_KEYS:
        return None
    if by_key and key == " " and (role in _FIELDS or (facts and "contenteditable" in facts.attributes)):
        return None
    form = facts.form if facts else None
    sends = submits or bool(facts and facts.submits) or spec.submits or (by_key and form is not None)
    if sends and (secret or has_credentials(form)):
        return "credentials"
    if form is not None and sends and (kind := _form_danger(form, by_button=bool(facts and facts.submits))):
        return kind
    if facts and (kind := _method_danger(facts)):
        return kind
    if label and (role not in _OPENS or _is_script_link(role, facts)) and not (by_key and role in _FIELDS):
        return danger_of(label)
    return None


def key_of(command: str, params: Mapping[str, Any]) -> str:
    """The key that a command presses: its `key`, or the one of the text that it types that may set its target off.

    The end of a line is Enter, a blank is Space: outside of fields these press what has the focus.
    """
    spec = COMMANDS[command]
    if not spec.presses_keys:
        return ""
    if spec.text_param:
        typed = set(str(params.get(spec.text_param, "")))
        return "Enter" if {"\n", "\r"} & typed else " " if " " in typed else ""
    return canonical_keys(str(params.get("key", "")))


def has_credentials(form: FormFacts | None) -> bool:
    """Whether a form has a field for a password or one-time code."""
    fields = form.fields if form else []
    return any(field.startswith("password:") or "one-time-code" in field for field in fields)


def _form_danger(form: FormFacts, *, by_button: bool) -> str | None:
    names = [field.lower() for field in form.fields]
    if any(mark in name for name in names for mark in _CARD_FIELDS):
        return "pay"
    if not by_button and (kind := danger_of(form.submit_label)):
        return kind
    return danger_of_path(urlsplit(form.action).path) if form.method in {"post", "delete"} else None


def _method_danger(facts: DescribeResult) -> str | None:
    """Frameworks send links by script: `data-method="delete"`, `hx-delete` and the like."""
    given = {name.lower(): value.lower() for name, value in facts.attributes.items()}
    method = given.get("data-method") or given.get("data-turbo-method") or ""
    return "delete" if method == "delete" or "hx-delete" in given or "data-hx-delete" in given else None


def _is_script_link(role: str, facts: DescribeResult | None) -> bool:
    """A link that leads nowhere is a button."""
    if role != "link" or facts is None:
        return False
    href = facts.attributes.get("href", "").strip().lower()
    return href in {"", "#"} or href.startswith(("javascript:", "#!"))
