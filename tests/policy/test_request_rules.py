"""What a rule for requests covers, and what none is made of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skillbook.policy.request_facts import read_request
from skillbook.policy.request_rules import RequestKind, learnable_request

HERE = "https://shop.test"
FORM = "application/x-www-form-urlencoded"


def kind(
    path: str = "/api/notes/5",
    body: Any = "title=Tea&text=hot",
    method: str = "POST",
    headers: dict[str, str] | None = None,
    content_type: str = "",
) -> RequestKind | None:
    content = content_type or (FORM if isinstance(body, str) else "application/json")
    text = body if body is None or isinstance(body, str) else json.dumps(body)
    headers = {"Content-Type": content, "User-Agent": "x", **(headers or {})}
    fact = read_request(
        method, HERE + path, content_type=content, headers=headers, body=text, size=len(text or "")
    )
    return learnable_request(fact, headers, content, text)


def learned(*args: Any, **named: Any) -> RequestKind:
    found = kind(*args, **named)
    assert found is not None
    return found


def test_fault_54_a_rule_is_for_one_method_and_literal_address() -> None:
    rule = learned()
    assert str(rule) == "POST https://shop.test/api/notes/5 with any title, text"
    assert rule.covers(learned(body="title=Coffee&text=cold"))
    assert rule.covers(learned(body="title=Coffee"))
    for other in (
        learned("/api/notes/6"),
        learned("/api/notes/5?x=1"),
        learned("/api/notes/5/"),
        learned(method="PUT"),
        learned(body="title=Tea&text=hot&owner=me"),
        learned(headers={"X-Amz-Target": "Notes.Put"}),
    ):
        assert not rule.covers(other)


@pytest.mark.parametrize(
    ("said", "others"),
    [
        ({"id": 5, "name": "a"}, [{"id": 6, "name": "a"}, {"id": "5", "name": "a"}, {"name": "a"}]),
        ({"item": {"itemId": 5}}, [{"item": {"itemId": 6}}]),
        ({"ids": [1]}, [{"ids": [1, 2]}, {"ids": [2]}]),
        ({"event": "view", "x": 1}, [{"event": "archive", "x": 1}]),
        ({"calls": [{"method": "look"}]}, [{"calls": [{"method": "save"}]}]),
        ({"query": "mutation { a(x: 1) { id } }"}, [{"query": "mutation { a(x: 2) { id } }"}]),
        (
            {"jsonrpc": "2.0", "method": "a", "params": [5]},
            [{"jsonrpc": "2.0", "method": "a", "params": [6]}],
        ),
        ([1], [[2]]),
    ],
)
def test_fault_54_which_thing_and_what_is_done_with_it_stay_the_same(said: Any, others: list[Any]) -> None:
    rule = kind("/api/graphql", said)
    assert rule is not None or isinstance(said, list), "a list names nothing"
    for other in others:
        found = kind("/api/graphql", other)
        assert rule is None or found is None or not rule.covers(found)


def test_a_rule_names_what_stays_the_same() -> None:
    rule = learned("/api", {"id": 5, "name": "a", "sub": {"pk": 1, "text": "b"}})
    assert str(rule) == f"POST {HERE}/api with any name, sub.text and the same id, sub.pk"


def test_tokens_that_are_made_anew_may_differ() -> None:
    first, second = (
        learned(body=f"csrf_token={token}&title=Tea", headers={"X-CSRF-Token": token})
        for token in ("a1", "b2")
    )
    assert first.covers(second)


@pytest.mark.parametrize(
    "named",
    [
        {"method": "DELETE"},
        {"path": "/api/notes/5/delete"},
        {"path": "/api?action=publish"},
        {"path": "/checkout/pay"},
        {"body": "action=delete_selected&on=1"},
        {"body": "_method=DELETE&x=1"},
        {"body": {"calls": [{"method": "removeAll", "x": 1}]}},
        {"body": {"jsonrpc": "2.0", "method": "transfer", "params": {"to": "Eve"}}},
        {"path": "/graphql", "body": {"query": "mutation Go { deleteItem(id: 5) { ok } }"}},
        {"headers": {"X-Amz-Target": "Notes.Delete"}},
        {"headers": {"X-HTTP-Method-Override": "DELETE"}},
        {"body": "cardnumber=4111&name=x"},
        {"body": "user=a&password=b"},
        {"body": "raw bytes", "content_type": "text/plain"},
        {"body": "[1, 2]", "content_type": "application/json"},
    ],
)
def test_fault_54_no_rule_is_made_of_what_cannot_be_undone_or_seen(named: dict[str, Any]) -> None:
    assert kind(**named) is None


def test_fault_54_a_file_or_a_secret_makes_no_rule() -> None:
    body = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nx\r\n--b--\r\n'
    assert kind(body=body, content_type="multipart/form-data; boundary=b") is None
    fact = read_request("POST", HERE + "/a", content_type=FORM, body="a=1", secrets=["shop"])
    assert learnable_request(fact, {}, FORM, "a=1") is None


def test_a_person_widens_an_address_in_words() -> None:
    rule = learned("/notes/5/edit?tab=1").with_address("/notes/{id}/edit?tab=1")
    assert rule is not None
    assert str(rule).startswith("POST https://shop.test/notes/{id}/edit?tab=1 with")
    assert rule.covers(learned("/notes/6/edit?tab=1"))
    for path in ("/notes/6/edit?tab=2", "/notes/all/edit?tab=1", "/notes/6/copy?tab=1", "/notes/6/edit"):
        assert not rule.covers(learned(path))
    assert learned("/notes/5").with_address("/orders/{id}") is None, "it isn't this request's address"


def test_a_page_cannot_widen_an_address() -> None:
    rule = learned("/notes/%7Bid%7D?{id}")
    assert not rule.covers(learned("/notes/5?5"))
