"""The names that code may expect of a question: by value, and in full where it can't be undone."""

from __future__ import annotations

import pytest

from skillbook.agents.state.question_queue import (
    Expectation,
    expected_call,
    expected_cell,
    expected_help,
    expected_request,
)


def click(place: str = "", *, in_full: bool = True) -> Expectation:
    return expected_call("click", "button 'Delete'", place, {"target": "e5"}, in_full=in_full)


@pytest.mark.parametrize("expected", ["button 'Delete'", "click button 'Delete'", " button 'Delete' "])
def test_a_click_is_named_by_its_target(expected: str) -> None:
    assert click().meets(expected)


@pytest.mark.parametrize(
    "expected",
    [
        "button 'Buy'",
        "dblclick button 'Delete'",
        "button",
        "click",
        "button 'Delete'!",
        "",
        "button 'delete'",
    ],
)
def test_another_target_or_command_is_another_question(expected: str) -> None:
    assert not click().meets(expected)


def test_what_cant_be_undone_is_named_with_its_record() -> None:
    question = click("row 'Ann'")
    assert question.words == "click button 'Delete' in row 'Ann'"
    assert question.meets(question.words)
    assert question.meets("button 'Delete' in row 'Ann'")
    assert not question.meets("button 'Delete' in row 'Bob'")
    assert not question.meets("button 'Delete'"), "of which record?"


def test_a_region_around_it_may_be_left_out() -> None:
    assert click("region 'Cart'").meets("button 'Delete'")
    assert not click("region 'Cart'").meets("button 'Delete' in region 'Orders'")


def test_what_can_be_undone_may_be_named_in_short() -> None:
    question = expected_call(
        "fill", "textbox 'Name'", "row 'Ann'", {"target": "e5", "value": "tea"}, in_full=False
    )
    for name in (
        "fill",
        "textbox 'Name'",
        "fill textbox 'Name'",
        "fill textbox 'Name' in row 'Ann' (value=\"tea\")",
    ):
        assert question.meets(name)
    assert not question.meets("fill textbox 'Name' in row 'Bob'")
    assert not question.meets("fill textbox 'Name' (value=\"ink\")")


def test_what_cant_be_undone_is_named_with_its_values() -> None:
    question = expected_call("fill", "textbox 'PIN'", "", {"target": "e5", "value": "1"}, in_full=True)
    assert question.words == "fill textbox 'PIN' (value=\"1\")"
    assert not question.meets("fill textbox 'PIN'")
    assert not question.meets("textbox 'PIN'")


def test_a_label_cant_spell_a_record() -> None:
    """A page calls its button so that it reads like the one in another row."""
    forged = expected_call(
        "click", f"button {chr(39).join(['Delete', ' in row ', 'Ann'])!r}", "row 'Bob'", {}, in_full=True
    )
    assert not forged.meets("button 'Delete' in row 'Ann'")


def test_an_address_names_a_visit() -> None:
    there = expected_call("goto", "https://shop.test/a", "", {"url": "https://shop.test/a"}, in_full=True)
    assert there.words == "goto https://shop.test/a"
    assert not there.meets("goto https://shop.test/")


def test_a_request_is_named_by_method_and_address() -> None:
    ours = expected_request("POST", "https://shop.test", "/orders", "/orders", same_site=True)
    assert ours.words == "POST /orders"
    assert ours.meets("POST https://shop.test/orders")
    foreign = expected_request("POST", "https://evil.test", "/orders", "/orders", same_site=False)
    assert foreign.words == "POST https://evil.test/orders"
    assert not foreign.meets("POST /orders")


def test_an_address_in_which_something_is_masked_is_compared_whole_and_not_printed() -> None:
    question = expected_request(
        "POST", "https://shop.test", "/items/7?key=s3", "/items/7?key=••••••", same_site=True
    )
    assert question.words == ""
    assert question.meets("POST /items/7?key=s3")
    assert not question.meets("POST /items/8?key=s3")
    assert not question.meets("POST /items/{id}?key")
    assert not question.meets("")


def test_a_cell_is_named_by_its_very_code() -> None:
    one, other = (expected_cell(f"page.click('{name}')\n", in_full=True) for name in "ab")
    assert one.meets(one.words)
    assert one.meets("page.click('a')")
    assert not other.meets(one.words)
    assert not one.meets("cell")
    assert expected_cell("page.title", in_full=False).meets("cell")


def test_help_is_named_by_its_kind_and_a_question_by_its_words() -> None:
    assert expected_help("login", "Please sign in.").words == "login"
    question = expected_help("question", "How many?")
    assert question.words == "question 'How many?'"
    assert not question.meets("question 'Which?'")
