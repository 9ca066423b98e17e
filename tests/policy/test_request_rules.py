"""What a rule for requests covers, and what none is made of."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

import pytest

from skillbook.policy.request_facts import RequestFact, read_request
from skillbook.policy.request_rules import (
    RequestRule,
    announced_by,
    form_rule,
    learnable_request,
    unshown_values,
)
from skillbook.policy.rules import Call
from skillbook.protocol.commands.read import DescribeResult, FormFacts, ShownField

HERE = "https://shop.test"
FORM = "application/x-www-form-urlencoded"


def kind(
    path: str = "/api/notes/5",
    body: Any = "title=Tea&text=hot",
    method: str = "POST",
    headers: dict[str, str] | None = None,
    content_type: str = "",
) -> RequestRule | None:
    return learnable_request(learnable_fact(path, body, method, headers, content_type))


def learnable_fact(
    path: str = "/api/notes/5",
    body: Any = "title=Tea&text=hot",
    method: str = "POST",
    headers: dict[str, str] | None = None,
    content_type: str = "",
) -> RequestFact:
    content = content_type or (FORM if isinstance(body, str) else "application/json")
    text = body if body is None or isinstance(body, str) else json.dumps(body)
    headers = {"Content-Type": content, "User-Agent": "x", **(headers or {})}
    return read_request(
        method, HERE + path, content_type=content, headers=headers, body=text, size=len(text or "")
    )


def learned(*args: Any, **named: Any) -> RequestRule:
    found = kind(*args, **named)
    assert found is not None
    return found


def allows(rule: RequestRule, *args: Any, **named: Any) -> bool:
    found = learnable_fact(*args, **named)
    return rule.allows(found, "")


def test_fault_54_a_rule_is_for_one_method_and_literal_address() -> None:
    rule = learned()
    assert str(rule) == "POST https://shop.test/api/notes/5 with the same title, text"
    assert allows(rule)
    for other in (
        {"path": "/api/notes/6"},
        {"path": "/api/notes/5?x=1"},
        {"path": "/api/notes/5/"},
        {"method": "PUT"},
        {"body": "title=Tea&text=hot&owner=me"},
        {"body": "title=Tea"},
        {"headers": {"X-Amz-Target": "Notes.Put"}},
        {"content_type": "text/plain"},
    ):
        assert not allows(rule, **other), other


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
        ({"args": ["view", 1]}, [{"args": ["erase", 2]}, {"args": ["view", 2]}, {"args": ["erase", 1]}]),
        ({"verb": "view"}, [{"verb": "erase"}, {"verb": "view", "more": ""}, {"verb": ["view"]}]),
        ({"n": 1}, [{"n": 1.5}, {"n": "1"}, {"n": True}, {"n": None}, {"n": 10000000000000000000001}]),
    ],
)
def test_faults_54_and_71_every_word_and_value_stays_the_same(said: Any, others: list[Any]) -> None:
    rule = kind("/api/graphql", said)
    assert rule is not None or isinstance(said, list), "a list names nothing"
    for other in others:
        assert rule is None or not allows(rule, "/api/graphql", other)


def test_fault_71_a_person_frees_a_field_by_its_name() -> None:
    rule = learned("/api", {"verb": "view", "note": "a", "n": 1})
    freed = rule.with_free(["note", "n"])
    assert freed is not None
    assert str(freed) == f"POST {HERE}/api with any note, n and the same verb"
    assert allows(freed, "/api", {"verb": "view", "note": "b c", "n": 7})
    for other in (
        {"verb": "erase", "note": "a", "n": 1},
        {"verb": "view", "note": 1, "n": 1},
        {"verb": "view", "note": ["a"], "n": 1},
        {"verb": "view", "note": "erase", "n": 1},
    ):
        assert not allows(freed, "/api", other)
    assert rule.with_free(["nothing"]) is None


def test_a_rule_names_what_stays_the_same() -> None:
    rule = learned("/api", {"id": 5, "name": "a", "sub": {"pk": 1, "text": "b"}})
    assert str(rule) == f"POST {HERE}/api with the same id, name, sub.pk, sub.text"


def test_tokens_that_are_made_anew_may_differ() -> None:
    first, second = (
        {"body": f"csrf_token={token}&title=Tea", "headers": {"X-CSRF-Token": token}}
        for token in ("a1b2c3d4e5f6g7h8i9", "z1b2c3d4e5f6g7h8i9")
    )
    assert allows(learned(**first), **second)
    assert not allows(learned(**first), **{**second, "body": "csrf_token=erase&title=Tea"})


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
    assert learnable_request(fact) is None


def test_a_person_widens_an_address_in_words() -> None:
    rule = learned("/notes/5/edit?tab=1").with_address("/notes/{id}/edit?tab=1")
    assert rule is not None
    assert str(rule).startswith("POST https://shop.test/notes/{id}/edit?tab=1 with")
    assert allows(rule, "/notes/6/edit?tab=1")
    for path in ("/notes/6/edit?tab=2", "/notes/all/edit?tab=1", "/notes/6/copy?tab=1", "/notes/6/edit"):
        assert not allows(rule, path)
    assert learned("/notes/5").with_address("/orders/{id}") is None, "it isn't this request's address"


def test_a_page_cannot_widen_an_address() -> None:
    rule = learned("/notes/%7Bid%7D?{id}")
    assert not allows(rule, "/notes/5?5")


SEARCH = "csrf=a1b2c3d4e5f6a1b2c3d4&list=lamps&q=lamp&sort=name"
SHOWN = [
    ShownField(name="q", label="Search products", value="lamp"),
    ShownField(name="sort", label="Sort by", kind="choice", value="name", options=["name", "price", "erase"]),
    ShownField(name="stock", label="In stock", kind="box", value="1"),
]


def only_reads(body: str = SEARCH, **more: Any) -> RequestRule:
    rule = form_rule(learnable_fact("/list", body, **more), SHOWN, "Search")
    assert rule is not None
    return rule


def test_a_form_that_only_reads_is_said_in_words() -> None:
    assert str(only_reads()) == (
        f"this form only reads: POST {HERE}/list with any Search products, Sort by, In stock and the same list, "
        "by button 'Search'"
    )


@pytest.mark.parametrize(
    ("change", "passes"),
    [
        ({}, True),
        ({"body": SEARCH.replace("q=lamp", "q=delete+key")}, True),
        ({"body": SEARCH.replace("sort=name", "sort=price") + "&stock=1"}, True),
        ({"body": SEARCH.replace("a1b2", "f9e8", 1)}, True),
        ({"button": ""}, True),
        ({"body": SEARCH.replace("sort=name", "sort=erase")}, False),
        ({"body": SEARCH.replace("sort=name", "sort=other")}, False),
        ({"body": SEARCH.replace("lamps", "orders")}, False),
        ({"body": SEARCH.replace("a1b2c3d4e5f6a1b2c3d4", "erase")}, False),
        ({"body": SEARCH + "&note=1"}, False),
        ({"body": SEARCH + "&do=keep"}, False),
        ({"body": SEARCH + "&stock=2"}, False),
        ({"body": SEARCH + "&q=lamp"}, False),
        ({"body": "&".join(SEARCH.split("&")[:3])}, False),
        ({"path": "/list?of=5"}, False),
        ({"path": "/basket"}, False),
        ({"method": "PUT"}, False),
        ({"button": "Find"}, False),
        ({"shown": SHOWN[1:]}, False),
        ({"shown": []}, False),
    ],
)
def test_only_the_labelled_fields_of_a_form_may_differ(change: dict[str, Any], passes: bool) -> None:
    rule = only_reads()
    more = {"path": "/list", "body": SEARCH, **change}
    button, shown = more.pop("button", "Search"), more.pop("shown", SHOWN)
    typed = dict(parse_qsl(more["body"])).get("q", "")
    now = [each.model_copy(update={"value": typed}) if each.name == "q" else each for each in shown]
    assert rule.allows(learnable_fact(**more), button, now) == passes


def test_a_form_is_said_to_read_only_if_a_field_with_a_label_is_sent() -> None:
    assert form_rule(learnable_fact("/list", "page=2"), SHOWN[:2], "Next") is None
    assert form_rule(learnable_fact("/items/5/delete", SEARCH), SHOWN, "Search") is None
    named = form_rule(learnable_fact("/list", {"term": "lamp", "page": "1"}), SHOWN[:2], "Search")
    assert named is not None
    assert named.labels == ("Search products",), "by the only place with its value"


SHOP = "https://shop.example"
FIELDS = [("amount", "1"), ("to", "Ann"), ("note", "a\nb"), ("pin", None)]


def announced(**form: Any) -> RequestFact:
    facts = DescribeResult(
        tag="button",
        css="button",
        attributes={},
        frame_origin=SHOP,
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
    said = announced_by(Call("click", actor="agent", url=SHOP + "/cart", facts=facts))
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
    assert covers(said, SHOP + "/accounts/7/pay", SENT)
    assert covers(said, SHOP + "/accounts/7/pay", SENT.replace("1234", "9"))


def test_a_question_has_the_values_that_the_page_does_not_show() -> None:
    form = FormFacts(
        action="/pay", method="post", fields=[],
        sent=[("amount", "1"), ("to", "Ann"), ("to", "Mallory"), ("pin", None), ("gift", ""), ("do", "pay")],
    )  # fmt: skip
    shown = [
        ShownField(name="amount", label="Amount", value="1"),
        ShownField(name="to", label="To", value="Ann"),
    ]
    facts = DescribeResult(
        tag="button", css="button", attributes={}, frame_origin=SHOP, submits=True, form=form, shown=shown
    )
    call = Call("click", actor="agent", url=SHOP, facts=facts, role="button", label="Pay")
    assert unshown_values(call) == [("to", "Mallory"), ("do", "pay")]


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
    assert not covers(announced(), SHOP + path, body)


def test_bodies_of_several_parts() -> None:
    kind = "multipart/form-data; boundary=x"

    def body(amount: str) -> str:
        pairs = [("amount", amount), ("to", "Ann"), ("note", "a\r\nb"), ("pin", "1")]
        parts = "".join(
            f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in pairs
        )
        return f"{parts}--x--\r\n"

    assert covers(announced(), SHOP + "/accounts/7/pay", body("1"), kind)
    assert not covers(announced(), SHOP + "/accounts/7/pay", body("2"), kind)


def test_a_body_that_cannot_be_read_is_not_announced() -> None:
    fact = read_request("POST", SHOP + "/accounts/7/pay", content_type=FORM, body=None, size=20)
    assert not matches(announced(), fact)


def test_a_link_announces_its_address() -> None:
    call = Call("goto", actor="agent", url=SHOP, destination=SHOP + "/items/1/delete")
    said = announced_by(call)
    assert said is not None
    assert matches(said, read_request("GET", SHOP + "/items/1/delete", size=0))
    assert not matches(said, read_request("GET", SHOP + "/items/999/delete", size=0))
