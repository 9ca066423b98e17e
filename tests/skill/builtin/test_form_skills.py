"""Filling in forms, and going to the checkout."""

from __future__ import annotations

from datetime import date

import pytest
from pydantic import BaseModel, Field

from skillbook.policy.secrets import Secret
from tests.skill.builtin.pages import bound, labels, page, refused, skill, steps, why

FORM = """
main
  form "Contact"
    textbox "First name *" + required
    textbox "E-mail address" + html_name=mail
    combobox "Country" + tag=select
      option "Germany" +
    group "Delivery"
      radio "Standard" +
      radio "Express" +
    checkbox "Send me news" +
    textbox "Arrival" + type=date
    textbox "Password" + secret type=password
    button "Send" + type=submit
"""


def set_to(tree: str, values: object, **more: object) -> list[tuple[str, str, dict[str, object]]]:
    slots = bound("fill_form", tree, values=values, **more)
    plan = skill("fill_form").plan(slots, {"values": values})
    return [(one.command, one.target.selectors[0] if one.target else "", dict(one.params)) for one in plan]


def test_each_value_goes_into_the_field_that_is_called_so() -> None:
    values = {
        "first_name": "Ann", "email": "ann@x.test", "Country": "Germany", "Delivery": "Express",
        "Send me news": True, "arrival": date(2026, 12, 1), "password": Secret("PW"),
    }  # fmt: skip
    assert set_to(FORM, values) == [
        ("fill", "textbox 'First name *'", {"value": "Ann"}),
        ("fill", "textbox 'E-mail address'", {"value": "ann@x.test"}),
        ("select", "combobox 'Country'", {"values": ["Germany"]}),
        ("check", "radio 'Express'", {}),
        ("check", "checkbox 'Send me news'", {}),
        ("fill", "textbox 'Arrival'", {"value": "2026-12-01"}),
        ("fill", "textbox 'Password'", {"value": "${secret:PW}"}),
    ]


class Person(BaseModel):
    first: str = Field(title="First name")
    mail: str = Field(alias="E-mail address")
    nothing: str | None = None


def test_a_models_instance_goes_by_title_or_alias() -> None:
    person = Person(**{"first": "Ann", "E-mail address": "ann@x.test"})
    assert [one[:2] for one in set_to(FORM, person)] == [
        ("fill", "textbox 'First name *'"),
        ("fill", "textbox 'E-mail address'"),
    ]


def test_a_value_without_a_sure_field_fills_in_nothing() -> None:
    assert refused("fill_form", FORM, values={"First name": "Ann", "Shoe size": 42}).slot == "Shoe size"
    assert "no option" in refused("fill_form", FORM, values={"Delivery": "By pigeon"}).reason
    assert "one field" in refused("fill_form", FORM, values={"First name": "A", "first-name": "B"}).reason
    two = 'main\n  form "A"\n    textbox "Name" +\n  form "B"\n    textbox "Name" +\n'
    assert "2 forms" in refused("fill_form", two, values={"Name": "Ann"}).reason
    assert "no values" in refused("fill_form", FORM, values={}).reason


def test_a_field_that_nothing_names_goes_by_what_stands_before_it() -> None:
    tree = """
main
  table
    row
      rowheader
        "Change Note:"
      cell
        textbox "" + html_name=:note
    row
      rowheader
        "Priority"
      cell
        combobox "" + html_name=p tag=select
          option "low" +
          option "high" +
  paragraph
    "Size"
    textbox "" +
"""
    found = set_to(tree, {"Change note": "x", "Priority": "high", "Size": "5"})
    assert [(one[0], one[2]) for one in found] == [
        ("fill", {"value": "x"}),
        ("select", {"values": ["high"]}),
        ("fill", {"value": "5"}),
    ]
    assert "row" in found[0][1]


def test_a_form_is_sent_only_where_that_is_said() -> None:
    values = {"First name": "Ann"}
    assert "submit" not in bound("fill_form", FORM, values=values).nodes
    assert labels(bound("fill_form", FORM, values=values, submit=True))["submit"] == "Send"
    saves = FORM + '    button "Save and add another" + type=submit\n'
    assert refused("fill_form", saves, values=values, submit=True).slot == "submit"
    assert labels(bound("fill_form", saves, values=values, submit=True, button="send"))["submit"] == "Send"


def test_what_the_fields_hold_is_verified() -> None:
    values = {"First name": "Ann", "Send me news": True}
    slots = bound("fill_form", FORM, values=values)
    held = FORM.replace("required", "required value=Ann").replace('news" +', 'news" + checked')
    assert why("fill_form", FORM, held, slots, {"values": values}) == ""
    assert "First name holds" in why("fill_form", FORM, FORM, slots, {"values": values})
    sent = bound("fill_form", FORM, values=values, submit=True)
    assert "invalid" in why("fill_form", FORM, held.replace("required", "required invalid"), sent, {})
    alert = FORM + '  alert\n    "The name is taken"'
    assert "taken" in why("fill_form", FORM, alert, sent, {})
    assert why("fill_form", FORM, 'main\n  heading "Thank you" level=1', sent, {}) == ""


CART = 'main\n  heading "Cart" level=1\n  button "Remove" +\n  link "Checkout" + href=/checkout'
ADDRESS = """
main
  heading "Checkout" level=1
  form
    textbox "Name" + required
    textbox "Street" + required
    button "Continue" + type=submit
"""
PAY = (
    'main\n  heading "Checkout" level=1\n  form\n    textbox "Name" +\n    button "Place order" + type=submit'
)
GIVEN = {"details": {"name": "Ann", "street": "Oak Road 1"}}


def test_the_checkout_goes_on_until_it_would_pay() -> None:
    assert labels(bound("checkout", CART)) == {"on": "Checkout"}
    address = bound("checkout", ADDRESS, ("checkout",), **GIVEN)
    assert [command for command, _ in steps("checkout", address, **GIVEN)] == ["fill", "fill", "click"]
    stop = bound("checkout", PAY, ("checkout", "form 2"))
    assert (stop.last, steps("checkout", stop), stop.facts["values"]) == (
        True, [], {"stopped_before": "Place order"}
    )  # fmt: skip
    last = bound("checkout", PAY, ("checkout",), **GIVEN)
    assert [command for command, _ in steps("checkout", last, **GIVEN)] == ["fill"], (
        "it never presses the button"
    )
    assert "would pay" in why("checkout", PAY, CART, stop, {})


def test_the_checkout_says_what_it_needs() -> None:
    assert "'Street'" in refused("checkout", ADDRESS, ("checkout",), details={"name": "Ann"}).reason
    assert "empty" in refused("checkout", 'main\n  heading "Your cart is empty" level=1', ("cart",)).reason
    product = 'main\n  heading "Desk lamp" level=1\n  button "Buy now" +'
    assert refused("checkout", product).reason
    assert skill("checkout").match(page(product), {}) == 0.0


def test_a_list_that_is_called_by_its_value_has_the_name_before_it() -> None:
    tree = 'form\n  "Speed"\n  combobox "Medium" + tag=span value=Medium\n  "Size"\n  combobox "2" + tag=span value=2\n'
    slots = bound("fill_form", tree, values={"Speed": "Fast"})
    assert labels(slots) == {"1. Speed": "Medium"}
    named = tree.replace('"Medium" + tag=span value=Medium', '"Colour" + tag=span value=red')
    assert "no field" in refused("fill_form", named, values={"Speed": "Fast"}).reason


def test_buttons_that_send_nothing_are_not_the_one_that_sends() -> None:
    tree = """
main
  form
    textbox "Name" +
    button "Toggle section" + expanded tag=button type=button
    button "Save" + tag=button
"""
    assert set_to(tree, {"Name": "Ann"}, submit=True)[-1][:2] == ("click", "button 'Save'")


def test_several_buttons_that_send_are_a_question_whatever_they_are_made_of() -> None:
    tree = """
main
  form
    textbox "Name" +
    button "Save" + tag=button
    button "Remove" + tag=input type=submit
"""
    refusal = refused("fill_form", tree, values={"Name": "Ann"}, submit=True)
    assert "2 controls that may be the button that sends" in refusal.reason


def test_a_dialogs_named_button_counts_beside_one_that_its_form_hides() -> None:
    tree = """
main
  dialog "New"
    form
      textbox "Name" +
      button "Submit" + tag=input type=submit
    button "Create" + tag=button
"""
    assert set_to(tree, {"Name": "Ann"}, submit=True, button="Create")[-1][:2] == ("click", "button 'Create'")


@pytest.mark.parametrize("more", [{}, {"button": "Create"}])
def test_a_button_that_the_values_enable_sends_the_form(more: dict[str, str]) -> None:
    tree = """
main
  dialog "New"
    textbox "Name" +
    button "Create" disabled tag=button
"""
    assert set_to(tree, {"Name": "Ann"}, submit=True, **more)[-1][:2] == ("click", "button 'Create'")
