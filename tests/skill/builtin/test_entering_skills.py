from __future__ import annotations

from skillbook.policy import Secret
from tests.skill.builtin.pages import bound, labels, refused, skill, steps, why

FORM = """
main
  heading "Welcome back" level=1
  form "Sign in"
    textbox "E-mail" +
    textbox "Password" + secret type=password
    checkbox "Remember me" +
    button "Sign in" + type=submit
"""
INSIDE = 'banner\n  link "Sign out" + href=/out\nmain\n  heading "Your orders" level=1'
GIVEN = {"username": "ann", "password": "x"}


def test_it_binds_the_forms_fields() -> None:
    slots = bound("login", FORM, **GIVEN)
    assert labels(slots) == {"username": "E-mail", "password": "Password", "button": "Sign in"}
    assert [command for command, _ in steps("login", slots, **GIVEN)] == ["fill", "fill", "click"]


def test_a_secret_stays_a_placeholder_and_other_text_is_taken_as_it_is() -> None:
    slots = bound("login", FORM, **GIVEN)
    cases = {"${secret:PW}": "${$}{secret:PW}", "a${input:x}": "a${$}{input:x}"}
    for password, written in [(Secret("PW"), "${secret:PW}"), *cases.items()]:
        plan = skill("login").plan(slots, {"username": "ann", "password": password})
        assert plan[1].params["value"] == written


def test_a_way_to_the_form_is_opened_first() -> None:
    slots = bound("login", 'banner\n  link "Log in" + href=/login\nmain\n  heading "Shop" level=1', **GIVEN)
    assert (slots.stage, labels(slots)) == ("open", {"open": "Log in"})


def test_a_login_in_two_steps() -> None:
    tree = (
        'main\n  heading "Sign in" level=1\n  form\n    textbox "E-mail" +\n    button "Next" + type=submit'
    )
    slots = bound("login", tree, **GIVEN)
    assert (slots.stage, slots.last) == ("username", False)
    password = (
        'main\n  heading "Sign in" level=1\n  form\n    textbox "Password" + secret type=password\n'
        '    button "Sign in" + type=submit'
    )
    assert set(bound("login", password, ("username",), **GIVEN).nodes) == {"password", "button"}
    assert refused("login", password, **GIVEN).slot == "username"


def test_what_is_not_sure_is_refused() -> None:
    form = '  form "{}"\n    textbox "User" +\n    textbox "Password" + secret type=password\n    button "Log in" +\n'
    two = "main\n" + form.format("Staff") + form.format("Customers")
    assert "2 login forms" in refused("login", two, **GIVEN).reason
    assert "signed in" in refused("login", INSIDE, **GIVEN).reason
    assert "no login form" in refused("login", 'main\n  heading "Shop" level=1', **GIVEN).reason
    register = (
        'main\n  form "Create account"\n    textbox "E-mail" +\n    textbox "Password" + secret type=password\n'
        '    textbox "Repeat password" + secret type=password\n    button "Create account" + type=submit'
    )
    assert "no login form" in refused("login", register, **GIVEN).reason


def test_only_a_page_without_the_form_and_without_complaint_is_success() -> None:
    slots = bound("login", FORM, **GIVEN)
    assert why("login", FORM, INSIDE, slots, GIVEN) == ""
    assert "still shows the login form" in why("login", FORM, FORM, slots, GIVEN)
    wrong = 'main\n  paragraph\n    "Invalid username or password."\n  link "Back" + href=/'
    assert "Invalid username" in why("login", FORM, wrong, slots, GIVEN)
    code = 'main\n  heading "Two-factor authentication" level=1\n  textbox "Verification code" +'
    assert "wants a code" in why("login", FORM, code, slots, GIVEN)
    outside = 'banner\n  link "Log in" + href=/login\nmain\n  heading "Shop" level=1'
    assert "sign in" in why("login", FORM, outside, slots, GIVEN)


def test_signing_out() -> None:
    slots = bound("logout", INSIDE)
    assert labels(slots) == {"logout": "Sign out"}
    assert why("logout", INSIDE, FORM, slots, {}) == ""
    assert "still" in why("logout", INSIDE, INSIDE, slots, {})
    menu = 'banner\n  button "Your account" + collapsed haspopup=menu\nmain\n  heading "Orders" level=1'
    assert (bound("logout", menu).stage, bound("logout", menu).last) == ("open", False)
    assert "no way to sign out" in refused("logout", FORM).reason
    assert "no way to sign out" in refused("logout", menu, ("open",)).reason


def test_goals_in_words() -> None:
    assert skill("login").params_of("Log in") == {}
    assert skill("logout").params_of("sign out") == {}
    assert skill("login").params_of("log in and buy a lamp for my aunt in Berlin") is None
    assert skill("logout").params_of("log in") is None
