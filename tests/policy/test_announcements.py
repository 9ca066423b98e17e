"""A request is the announced one only if its address, its fields and their values are."""

from __future__ import annotations

from typing import Any

import pytest

from skillbook.policy.announcements import announced_by
from skillbook.policy.request_facts import RequestFact, read_request
from skillbook.policy.rules import Call
from skillbook.protocol.commands.read import DescribeResult, FormFacts

HERE = "https://shop.example"
FORM = "application/x-www-form-urlencoded"
FIELDS = [("amount", "1"), ("to", "Ann"), ("note", "a\nb"), ("pin", None)]


def announced(**form: Any) -> RequestFact:
    facts = DescribeResult(
        tag="button",
        css="button",
        attributes={},
        frame_origin=HERE,
        submits=True,
        form=FormFacts(
            **{
                "action": "/accounts/7/pay",
                "method": "post",
                "fields": ["text:amount", "text:to", "textarea:note", "password:pin"],
                "sent": FIELDS,
                **form,
            }
        ),
        role="button",
        name="Pay",
    )
    said = announced_by(Call("click", actor="agent", url=HERE + "/cart", facts=facts))
    assert said is not None
    return said


def covers(said: RequestFact, url: str, body: str, kind: str = FORM) -> bool:
    return matches(said, read_request("POST", url, content_type=kind, body=body))


def matches(said: RequestFact, fact: RequestFact) -> bool:
    assert said.shape is not None
    assert fact.shape is not None
    return said.shape.covers(fact.shape, "announced")


SENT = "amount=1&to=Ann&note=a%0D%0Ab&pin=1234"


def test_a_form_announces_what_it_sends() -> None:
    said = announced()
    assert (
        str(said)
        == "POST shop.example/accounts/{id}/pay with 4 fields: amount, to, note, pin (password hidden)"
    )
    assert covers(said, HERE + "/accounts/7/pay", SENT)
    assert covers(said, HERE + "/accounts/7/pay", SENT.replace("1234", "9"))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/accounts/8/pay", SENT),
        ("/accounts/7/pay?twice=1", SENT),
        ("/accounts/7/pay", SENT.replace("amount=1", "amount=9999")),
        ("/accounts/7/pay", SENT.replace("Ann", "Eve")),
        ("/accounts/7/pay", SENT + "&amount=9999"),
        ("/accounts/7/pay", SENT + "&gift=1"),
        ("/accounts/7/pay", "amount=1&note=a%0D%0Ab&pin=1234"),
    ],
)
def test_fault_55_another_address_value_or_field_is_not_announced(path: str, body: str) -> None:
    assert not covers(announced(), HERE + path, body)


def test_bodies_of_several_parts() -> None:
    kind = "multipart/form-data; boundary=x"

    def body(amount: str) -> str:
        pairs = [("amount", amount), ("to", "Ann"), ("note", "a\r\nb"), ("pin", "1")]
        parts = "".join(
            f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in pairs
        )
        return f"{parts}--x--\r\n"

    assert covers(announced(), HERE + "/accounts/7/pay", body("1"), kind)
    assert not covers(announced(), HERE + "/accounts/7/pay", body("2"), kind)


def test_a_body_that_cannot_be_read_is_not_announced() -> None:
    fact = read_request("POST", HERE + "/accounts/7/pay", content_type=FORM, body=None, size=20)
    assert not matches(announced(), fact)


def test_a_link_announces_its_address() -> None:
    call = Call("goto", actor="agent", url=HERE, destination=HERE + "/items/1/delete")
    said = announced_by(call)
    assert said is not None
    assert matches(said, read_request("GET", HERE + "/items/1/delete", size=0))
    assert not matches(said, read_request("GET", HERE + "/items/999/delete", size=0))
