from __future__ import annotations

import pytest

from skillbook.policy.effects import classify, danger_of
from skillbook.protocol.commands import COMMANDS, Effect


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Delete draft", "delete"), ("Löschen", "delete"), ("Supprimer le compte", "delete"),
        ("削除する", "delete"),
        ("Place order", "pay"), ("Jetzt kaufen", "pay"), ("Оплатить", "pay"), ("Pay $12.00", "pay"),
        ("Send message", "send"), ("Envoyer", "send"), ("Publish now", "publish"),
        ("Veröffentlichen", "publish"),
    ],
)  # fmt: skip
def test_labels_of_irreversible_steps(label: str, kind: str) -> None:
    assert danger_of(label) == kind


@pytest.mark.parametrize(
    "label", ["Add to cart", "Search", "Next", "Posts", "Payments overview", "Undeleted", "Cancel"]
)
def test_harmless_labels(label: str) -> None:
    assert danger_of(label) is None


def test_a_label_raises_a_click_but_not_a_hover_or_a_link() -> None:
    assert classify("click", role="button", label="Delete") is Effect.IRREVERSIBLE
    assert classify("hover", role="button", label="Delete") is Effect.WRITE
    assert classify("click", role="link", label="Delete") is Effect.WRITE


def test_submitting_credentials_is_irreversible() -> None:
    assert classify("click", role="button", label="Go", submits=True, secret=True) is Effect.IRREVERSIBLE
    assert classify("click", role="button", label="Go", submits=True) is Effect.WRITE


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_target_lowers_a_commands_effect(name: str) -> None:
    order = [Effect.READ, Effect.WRITE, Effect.IRREVERSIBLE]
    raised = classify(name, role="button", label="Delete", submits=True, secret=True)
    assert order.index(raised) >= order.index(COMMANDS[name].effect)
