"""What may stand for a step's target, and what never may."""

from __future__ import annotations

import pytest

from skillbook.skill.control_names import likeness
from skillbook.skill.healing import Wanted, choose
from skillbook.skill.recording import target_of
from skillbook.testing.trees import snapshot

FORM = """
main
  heading "People" level=1
  form "Person"
    textbox "Town" + html_name=town
    {role} "{name}" + {mark}
    button "Help" + html_id=help
"""
REFUSED = [
    ("button", "Add person", "Remove person"),
    ("button", "Search", "Save search"),
    ("textbox", "Password:", "New password:"),
    ("link", "Crime", "True crime"),
    ("button", "Follow", "Unfollow"),
    ("button", "Enable", "Disable"),
    ("button", "Log in", "Log out"),
    ("button", "Sign in", "Sign up"),
    ("button", "Show", "Hide"),
    ("button", "Lock", "Unlock"),
    ("button", "Save", "Save as"),
    ("button", "Save", "Save and add another"),
    ("button", "Save", "Store user"),
    ("button", "Delete", "Delete all"),
    ("button", "Delete row 7", "Delete row 8"),
    ("button", "Approve", "Reject"),
    ("button", "Import", "Export"),
    ("button", "Next", "Next month"),
    ("button", "Pay", "Pay later"),
    ("button", "Send", "Send copy"),
    ("button", "Upvote", "Downvote"),
    ("button", "Start", "Restart"),
    ("textbox", "Name", "Last name"),
    ("textbox", "E-mail", "Confirm e-mail"),
    ("textbox", "Billing address", "Shipping address"),
    ("textbox", "From", "To"),
    ("spinbutton", "Minimum", "Maximum"),
    ("combobox", "Country", "Country code"),
    ("link", "Orders", "My orders"),
    ("link", "Product", "Products"),
    ("link", "Fiction", "Science fiction"),
    ("button", "Save", "Speichern und schließen"),
]
HEALED = [
    ("button", "Save", "Store"),
    ("button", "Save", "SAVE"),
    ("button", "Save", "Speichern"),
    ("button", "Delete", "Remove"),
    ("button", "Delete the person", "Delete person"),
    ("button", "Log in", "Sign in"),
    ("button", "Log in", "Login"),
    ("button", "Cancel", "Annuler"),
    ("button", "Search", "Suchen"),
    ("textbox", "E-mail", "Email"),
    ("textbox", "Password:", "Password"),
    ("textbox", "Password", "Passwort"),
    ("link", "Cart (2)", "Cart (3)"),
    ("button", "Remove person", "Delete person"),
]


def healed(role: str, was: str, now: str, mark: str = "html_id=target") -> bool:
    old, new = (snapshot(FORM.format(role=role, name=name, mark=mark)) for name in (was, now))
    target = target_of(next(node for node in old.elements if node.name == was))
    found, _ = choose(new, Wanted.of(target, {}))
    assert found is None or found.node.name == now
    return found is not None


@pytest.mark.parametrize(("role", "was", "now"), REFUSED)
@pytest.mark.parametrize("mark", ["html_id=target", "html_id=target test_id=target", ""])
def test_fault_46_a_near_namesake_is_another_control(role: str, was: str, now: str, mark: str) -> None:
    assert likeness(was, now) == "other"
    assert not healed(role, was, now, mark)
    assert not healed(role, now, was, mark)


@pytest.mark.parametrize(("role", "was", "now"), HEALED)
def test_a_control_that_is_only_called_otherwise_is_healed(role: str, was: str, now: str) -> None:
    assert healed(role, was, now)


def test_a_synonym_heals_only_where_the_rest_is_the_same_and_nothing_else_could_be_meant() -> None:
    old = snapshot(FORM.format(role="button", name="Save", mark="html_id=target"))
    target = Wanted.of(target_of(next(node for node in old.elements if node.name == "Save")), {})
    other_id = snapshot(FORM.format(role="button", name="Store", mark="html_id=other"))
    assert choose(other_id, target)[0] is None
    two = (
        FORM.format(role="button", name="Store", mark="html_id=target")
        + '    button "Speichern" + html_id=target\n'
    )
    assert choose(snapshot(two), target)[0] is None
