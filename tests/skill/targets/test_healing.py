"""What may stand for a step's target, and what never may."""

from __future__ import annotations

import pytest

from skillbook.skill.model.spec_steps import StepTarget
from skillbook.skill.targets.element_target import likeness, target_of
from skillbook.skill.targets.healing import Wanted, choose, find_now
from tests.trees import snapshot

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
    ("button", "Inbox", "Inbox (3)"),
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


ICONS = """
main
  toolbar
{buttons}
  textbox + html_name=note
"""


def icons(*names: str) -> str:
    return ICONS.format(buttons="\n".join(f"    button {name} +" for name in names))


@pytest.mark.parametrize(
    "now", [("", '"Delete"', ""), ('"Delete"', ""), ("", "", ""), ("",), ("", "", '"Help"', '"Delete"')]
)
def test_an_icon_without_a_name_is_taken_at_its_place_among_the_same_or_not_at_all(
    now: tuple[str, ...],
) -> None:
    second = snapshot(icons("", "", '"Help"')).elements[1]
    recorded = Wanted.of(target_of(second), {})
    assert recorded.fingerprint["name"] == ""
    assert recorded.fingerprint["place"] == "2 of 3"
    same = snapshot(icons("", "", '"Help"')).elements[1]
    assert recorded.differences(same) == []
    for node in snapshot(icons(*now)).elements:
        assert recorded.differences(node) != []
    assert choose(snapshot(icons(*now)), recorded)[0] is None


def test_a_field_that_lost_its_name_is_the_recorded_one_only_by_its_id() -> None:
    page = 'main\n  textbox "Coupon" + html_id=coupon\n'
    recorded = Wanted.of(target_of(snapshot(page).elements[0]), {})
    assert not recorded.differences(snapshot(page.replace(' "Coupon"', "")).elements[0])
    other = snapshot("main\n  textbox + html_id=search\n")
    assert recorded.differences(other.elements[0])
    assert choose(other, recorded)[0] is None


def test_in_the_row_that_an_input_names_only_the_recorded_control_is_taken() -> None:
    page = 'main\n  table\n    row\n      cell\n        "{0}"\n      cell\n        button "{1}" +\n'
    recorded = target_of(snapshot(page.format("lamp", "Archive")).elements[0])
    by_input = StepTarget(
        selectors=["button 'Archive' in row '${input:item}'"],
        fingerprint={**recorded.fingerprint, "record": "${input:item}"},
    )
    del by_input.fingerprint["name"]
    wanted = Wanted.of(by_input, {"item": "chair"})
    assert choose(snapshot(page.format("chair", "Delete")), wanted)[0] is None
    found, _ = choose(snapshot(page.format("chair", "archive")), wanted)
    assert found is not None


CARDS = """
main
  heading "{heading}" level=1
  list "Products"
{cards}
"""
CARD = """    listitem
      link "{0}" + href=http://s/{1}
      "{2}"
      "{3}"
      "{4}"
      button "Edit" +
"""
GOODS = [("Desk lamp", 1, "Brandt", "$ 20.00", "4 left"), ("Floor lamp", 2, "Casa", "$ 31.50", "9 left"),
         ("Lava lamp", 3, "Ember", "$ 12.25", "7 left")]  # fmt: skip


def shop(*goods: tuple[object, ...], heading: str = "Lamps") -> str:
    return CARDS.format(heading=heading, cards="".join(CARD.format(*one) for one in goods))


def found_in(page: str, name: str = "Desk lamp", recorded: str = "") -> bool:
    was = snapshot(recorded or shop(*GOODS))
    wanted = Wanted.of(target_of(next(node for node in was.elements if node.name == name)), {})
    found, _ = choose(snapshot(page), wanted)
    assert found is None or found.node.name == name
    return found is not None


def test_a_title_that_leads_where_it_led_is_found_though_its_card_reads_otherwise() -> None:
    first, *others = GOODS
    assert found_in(shop(("Desk lamp", 1, "Brandt", "$ 19.00", "out of stock"), *others))
    assert found_in(shop(("Desk lamp", 1, "Other", "$ 7.00", "0 left"), *others))
    assert found_in(shop(*GOODS, heading="Lampen"))
    assert found_in(shop(*others, first))


@pytest.mark.parametrize(
    "page",
    [
        shop(("Desk lamp", 9, "Brandt", "$ 19.00", "4 left"), *GOODS[1:]),  # it leads elsewhere
        shop(*GOODS[1:]),
        shop(("New desk lamp", 1, "Brandt", "$ 20.00", "4 left"), *GOODS[1:]),
        shop(GOODS[0], ("Desk lamp", 1, "Brandt", "$ 19.00", "4 left"), *GOODS[1:], heading="Lampen"),
    ],
)
def test_a_namesake_that_leads_elsewhere_or_is_one_of_two_is_never_taken(page: str) -> None:
    assert not found_in(page)


def test_a_button_that_every_record_has_never_tells_them_apart() -> None:
    one = shop(GOODS[0])
    assert found_in(one, "Edit", one)
    assert found_in(shop(("Desk lamp", 1, "Brandt", "$ 21.00", "4 left")), "Edit", one)
    assert not found_in(shop(("Sofa", 8, "Brandt", "$ 20.00", "4 left")), "Edit", one)


PEOPLE = """
main
  heading "People" level=1
  table
{rows}
"""
PERSON = """    row
      cell
        link "{0}" + href=http://127.0.0.1:80/{0}?id={1}
      cell
        "{2}"
"""


@pytest.mark.parametrize("link", ["Edit", "Delete"])
def test_a_link_of_a_local_site_is_not_taken_in_the_row_of_a_near_namesake(link: str) -> None:
    """Its address begins with the input `site`, which says nothing of whose row it is."""

    def people(*known: tuple[int, str]) -> str:
        return PEOPLE.format(rows="".join(PERSON.format(link, *one) for one in known))

    target = target_of(snapshot(people((1, "Ann Lee"), (2, "Ann Leeds"), (3, "Bob Stone"))).elements[0])
    target = target.model_copy(
        update={
            "selectors": [f"link '{link}' in row 'Ann Lee'", f"link [href='${{input:site}}/{link}?id=1']"]
        }
    )
    wanted = Wanted.of(target, {"site": "http://127.0.0.1:80"})
    assert not wanted.by_input
    assert find_now(snapshot(people((2, "Ann Leeds"), (3, "Bob Stone"))), wanted) is None
    again = find_now(snapshot(people((3, "Bob Stone"), (1, "Ann Lee"))), wanted)
    assert again is not None
    assert (again.node.href or "").endswith("id=1")


def test_an_input_called_site_may_name_a_row() -> None:
    assert Wanted.of(StepTarget(selectors=["link 'Edit' in row '${input:site}'"]), {"site": "Oslo"}).by_input


TWO_ROWS = """
main
  table "People" tag=table
    row
      cell
        "Ann"
      cell
        button "Delete" +
    row
      cell
        "Bob"
      cell
        button "Delete" +
"""


def test_a_number_of_an_earlier_file_that_names_no_record_is_refused_with_the_new_spelling() -> None:
    page = snapshot(TWO_ROWS)
    earlier = StepTarget(
        selectors=["button 'Delete' nth 2"], fingerprint={"role": "button", "name": "Delete"}
    )
    bob = page.elements[-1]
    assert find_now(page, Wanted.of(earlier, {})) is None
    [why] = Wanted.of(earlier, {}).differences(bob)
    assert why.endswith("write button 'Delete' in row 'Bob'")
    by_hand = StepTarget(selectors=["button 'Delete' nth 2"])
    found = find_now(page, Wanted.of(by_hand, {}))
    assert found is not None
    assert found.node == bob
    recorded = StepTarget(selectors=["button 'Delete' nth 2"], fingerprint=target_of(bob).fingerprint)
    assert find_now(page, Wanted.of(recorded, {})) is not None
