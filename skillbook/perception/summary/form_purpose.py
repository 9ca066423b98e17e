"""What a form is for: by its fields' types, `autocomplete` and names; only then by words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from skillbook import lexicon
from skillbook.perception.summary.action_intent import action_intent

FORM_PURPOSES = (
    "login",
    "register",
    "change_password",
    "payment",
    "payment_method",
    "billing",
    "search",
    "newsletter",
    "upload",
    "contact",
    "address",
    "schedule",
    "filter",
    "checkout",
    "book",
)
_CARD_NAMES = frozenset(
    {"cardnumber", "ccnumber", "ccnum", "creditcard", "creditcardnumber", "cvc", "cvv", "iban"}
)
_DATES = frozenset({"date", "datetime-local", "time", "month", "week"})
_PASSWORDS = frozenset({"current-password", "new-password"})
_STREETS = frozenset({"street-address", "address-line1", "postal-code"})
_UNTYPED = frozenset({"", "textbox"})


@dataclass(frozen=True)
class FieldFacts:
    """What a form's field says of itself: its label, HTML type or role, `autocomplete` and `name`."""

    label: str
    type: str = ""
    autocomplete: str = ""
    name: str = ""

    @property
    def tokens(self) -> frozenset[str]:
        """The parts of its `autocomplete`."""
        return frozenset(self.autocomplete.lower().split())

    def says(self, *meanings: str) -> bool:
        """Whether its label has words of one of the meanings."""
        return not lexicon.meanings(self.label).isdisjoint(meanings)


def form_purpose(fields: Sequence[FieldFacts], submit: str, name: str) -> str | None:
    """What a form is for."""
    tokens = frozenset[str]().union(*(field.tokens for field in fields))
    doing = lexicon.meanings(f"{submit} | {name}")
    if any(map(_takes_card, fields)):
        return "payment"
    if secrets := sum(map(_takes_password, fields)):
        # Who chooses a password types it twice; who changes one has no other field.
        if secrets > 1 and secrets == len(fields):
            return "change_password"
        return "register" if secrets > 1 or "new-password" in tokens or "register" in doing else "login"
    if "billing" in tokens:
        return "billing"
    types = {field.type for field in fields}
    if types & {"search", "searchbox"}:
        return "search"
    return _by_words(fields, types, tokens, doing) or _by_intent(f"{submit} {name}")


def _takes_card(field: FieldFacts) -> bool:
    if any(token.startswith("cc-") for token in field.tokens) or lexicon.letters(field.name) in _CARD_NAMES:
        return True
    return field.says("card_number", "card_code", "card_details", "iban")


def _takes_password(field: FieldFacts) -> bool:
    if field.type == "password" or field.tokens & _PASSWORDS:
        return True
    return field.type in _UNTYPED and field.says("password")


def _by_words(
    fields: Sequence[FieldFacts], types: Collection[str], tokens: Collection[str], doing: Collection[str]
) -> str | None:
    def some(*meanings: str) -> bool:
        return any(field.says(*meanings) for field in fields)

    takes_email = "email" in types or "email" in tokens or some("email")
    checks = (
        ("payment_method", "payment_method" in doing or some("payment_method")),
        ("search", "search" in doing or some("search")),
        ("newsletter", takes_email and ("subscribe" in doing or "newsletter" in doing)),
        ("upload", "file" in types or some("upload")),
        ("billing", "billing" in doing or some("billing")),
        ("contact", some("message")),
        ("address", bool(_STREETS.intersection(tokens)) or some("street", "postal_code", "city")),
        ("filter", "filter" in doing or some("filter", "range")),
        ("schedule", bool(_DATES.intersection(types)) or some("date")),
    )
    return next((purpose for purpose, holds in checks if holds), None)


def _by_intent(doing: str) -> str | None:
    intent = action_intent(doing)
    return intent if intent in {"login", "register", "checkout", "book"} else None
