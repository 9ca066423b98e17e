"""What is put together once and passed on whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from skillbook.errors import InvalidParams
from skillbook.policy import Call
from skillbook.policy.secrets import MASK
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.commands.read import DescribeResult, FormFacts
from skillbook.session.action import PreparedAction, Resolved, validated


def facts(**changes: Any) -> DescribeResult:
    given = {"tag": "button", "css": "#b", "attributes": {}, "frame_origin": "", "submits": True}
    return DescribeResult.model_validate(given | {"role": "button", "name": "Send"} | changes)


def action(actor: Any = "agent", **changes: Any) -> PreparedAction:
    call = Call("click", actor=actor, url="http://site.test/", facts=facts(), **changes)
    return PreparedAction(call, {"ref": "e1", "button": None}, tab=7, target=Resolved("e1", None))


def test_what_was_not_given_is_neither_sent_nor_bound() -> None:
    assert action().wire == {"ref": "e1"}
    assert action().binding == replace(action(), params={"ref": "e1"}).binding


def test_an_approval_changes_nothing_but_the_call() -> None:
    given = replace(action(), run="r1", timeout=3.0, observe={"engine": "dom"})
    approved = given.approved()
    assert approved.call.approved
    assert replace(approved, call=given.call) == given
    assert approved.binding == given.binding


def test_nothing_is_compared_for_a_person() -> None:
    assert action("person").expected_target(secret=False, hide=[]) is None
    secret = action("person").expected_target(secret=True, hide=["hunter2"])
    assert secret is not None
    assert (secret.secret, secret.hide, secret.role) == (True, ["hunter2"], None)


def test_an_agents_target_is_compared_with_what_was_judged() -> None:
    form = FormFacts(action="http://site.test/pay", method="post", fields=[])
    expected = replace(action(), call=replace(action().call, facts=facts(form=form))).expected_target(
        secret=False, hide=[]
    )
    assert expected is not None
    assert (expected.role, expected.name, expected.form) == ("button", "Send", "post http://site.test/pay")
    assert expected.covered is None


@pytest.mark.parametrize(("covered", "compared"), [(False, False), (True, None)])
def test_what_lay_open_when_it_was_approved_must_lie_open_still(covered: bool, compared: bool | None) -> None:
    expected = action(covered=covered).approved().expected_target(secret=False, hide=[])
    assert expected is not None
    assert expected.covered is compared


def test_a_name_with_a_secret_in_it_is_not_compared() -> None:
    given = replace(action(), call=replace(action().call, facts=facts(name=f"Send {MASK}")))
    assert given.expected_target(secret=False, hide=[]) is None


def test_the_first_parameter_that_does_not_fit_is_named() -> None:
    with pytest.raises(InvalidParams, match=r"^page.click: button='upper': it should be 'left'") as refused:
        validated("click", COMMANDS["click"].params, {"ref": "e1", "button": "upper"})
    assert refused.value.data["field"] == "button"
