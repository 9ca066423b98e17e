"""Which effect a command has on a given target.

The table gives each command an effect; a target can raise it to irreversible: by its label, by what its form is for
(a payment, credentials), by where and how the form is sent. It never lowers it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from skillbook.policy.labels import (
    danger_of,
    danger_of_address,
    danger_of_drop,
    danger_of_path,
    danger_of_value,
    is_refusal,
)
from skillbook.protocol.commands import COMMANDS, Effect
from skillbook.protocol.commands.read import DescribeResult, FormFacts
from skillbook.protocol.refs import canonical_keys, final_key

_OPENS = {"link", "tab", "textbox", "searchbox", "combobox", "heading", "treeitem"}
_BUTTONS = {"button", "menuitem", "menuitemcheckbox", "menuitemradio"}
_ANSWERS = _BUTTONS | {"generic"}
_LONG_DIALOG = 300
"""Characters; what is longer is terms or a form, in which words for irreversible steps are no announcement."""
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


def classify(command: str, **about: Any) -> Effect:
    """The effect of a command on a target.

    about: what `danger` has to know of it.
    """
    effect = COMMANDS[command].effect
    return Effect.IRREVERSIBLE if effect is Effect.WRITE and danger(command, **about) else effect


def danger(
    command: str,
    *,
    role: str = "",
    label: str = "",
    submits: bool = False,
    secret: bool = False,
    facts: DescribeResult | None = None,
    key: str = "",
    chosen: Sequence[str] = (),
    destination: str | None = None,
) -> str | None:
    """Why a step can't be undone: "pay", "delete", "send", "publish", "cancel" or "credentials"; None where it can.

    role, label: the target's role and accessible name, as the snapshot has them.
    submits: whether activating the target submits a form.
    secret: whether that form has a secret field, so that credentials would be sent.
    facts: what the page says of the target and its form.
    key: the key, for `press`; for `type` what `key_of` says.
    chosen: labels and values of what is chosen in a list; what something is dropped on.
    destination: the address that it goes to.
    """
    spec = COMMANDS[command]
    if destination is not None:
        return danger_of_address(destination)
    if spec.answers_dialog:
        return danger_of(label, anywhere=True)
    if kind := _danger_of_choice(command, chosen):
        return kind
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
    if facts and facts.link and (spec.follows_links or by_key) and (kind := danger_of_address(facts.link)):
        return kind
    if facts and facts.dialog and role in _ANSWERS:
        kind = danger_of(facts.dialog, anywhere=len(facts.dialog) <= _LONG_DIALOG)
        if kind and not is_refusal(label, of=kind):
            return kind
    if label and (role not in _OPENS or _is_script_link(role, facts)) and not (by_key and role in _FIELDS):
        return danger_of_value(label) if role == "option" else danger_of(label, anywhere=role in _BUTTONS)
    return None


def _danger_of_choice(command: str, chosen: Sequence[str]) -> str | None:
    """The kind of irreversible step that choosing an option, or dropping on an element, stands for."""
    judge = danger_of_value if COMMANDS[command].sets_value else danger_of_drop
    return next((kind for kind in map(judge, chosen) if kind), None)


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
    if kind := next((kind for kind in map(danger_of_value, form.verbs) if kind), None):
        return kind
    by_path = danger_of_path(urlsplit(form.action).path) if form.method in {"post", "delete"} else None
    return by_path or danger_of_address(form.action)


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
