"""What requests are taken for: templates, bodies, words in addresses, verdicts."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.policy import Policy
from skillbook.policy.request_facts import (
    RequestFact,
    announced_by,
    judge_request,
    only_queries,
    path_template,
    read_request,
)
from skillbook.policy.request_words import says_change
from skillbook.policy.rules import Call
from skillbook.protocol.commands.read import DescribeResult, FormFacts

HERE = "https://shop.example"
FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("/orders/2041/items/7", "/orders/{id}/items/{id}"),
        ("/api/v2/users/ann@x.org", "/api/v2/users/{id}"),
        ("/f/9b2c1f50-1111-2222-3333-444455556666", "/f/{id}"),
        ("/c/3f2a9c81d0", "/c/{id}"),
        ("/days/2026-11-23/report.pdf", "/days/{id}/report.pdf"),
        ("/items/17.json", "/items/{id}.json"),
        ("/t/eyJhbGciOiJIUzI1NiJ9", "/t/{id}"),
        ("/search?q=lamp&page=2", "/search?page&q"),
        ("/about-us", "/about-us"),
        ("", "/"),
    ],
)
def test_what_names_one_thing_is_no_part_of_a_template(path: str, template: str) -> None:
    assert path_template(HERE + path) == template


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("/items/5/delete", "delete"),
        ("/deleteItem/5", "delete"),
        ("/log-out", "logout"),
        ("/x?action=delete_selected", "delete"),
        ("/x?do=save", "save"),
        ("/newsletter/unsubscribe/abc", "unsubscribe"),
        ("/konto/loeschen", "loeschen"),
        ("/panier/supprimer/3", "supprimer"),
        ("/deleted", None),
        ("/search?q=delete", None),
        ("/list?sort=price&page=2", None),
        ("/items/5/edit", None),
        ("/login?next=/items/5/delete", None),
        ("/img/delete.png", None),
        ("/static/publish.js", None),
        ("/orders?status=cancelled", None),
        ("/checkout", None),
        ("/archive/2024", None),
    ],
)
def test_words_in_addresses(path: str, word: str | None) -> None:
    assert says_change(HERE + path) == word


@pytest.mark.parametrize(
    ("document", "queries"),
    [
        ("{ me { name } }", True),
        ("query A($b: In!) { a(b: $b) { c } } fragment F on T { d }", True),
        ('query { find(text: "mutation { x }") }', True),
        ("# mutation\n{ a }", True),
        ("mutation { pay }", False),
        ("query A { a } mutation B { b }", False),
        ("fragment F on T { d } mutation B { b }", False),
        ("subscription { ticks }", False),
        ("{a} } mutation { {x}", False),
        ("", False),
    ],
)
def test_graphql_that_only_queries(document: str, queries: bool) -> None:
    assert only_queries(document) is queries
    fact = read_request(
        "POST", HERE + "/graphql", content_type="application/json", body=json.dumps({"query": document})
    )
    assert fact.changes is not queries


def test_a_body_that_says_two_things_queries_nothing() -> None:
    body = '{"query": "mutation { pay }", "query": "{ me }"}'
    assert read_request("POST", HERE + "/graphql", content_type="application/json", body=body).changes
    cut = json.dumps({"query": "{ me }", "variables": "x" * 99})[:-5]
    assert read_request("POST", HERE + "/graphql", content_type="application/json", body=cut).changes
    elsewhere = read_request(
        "POST", HERE + "/items", content_type="application/json", body='{"query": "{ me }"}'
    )
    assert elsewhere.changes
    assert read_request("GET", HERE + "/graphql?query=mutation%20%7Bpay%7D", body=None).word == "mutation"


@pytest.mark.parametrize(
    ("method", "queries"),
    [
        ("getUser", True),
        ("items.list", True),
        ("eth_sendTransaction", False),
        ("item/delete", False),
        ("findAndRemove", False),
        ("", False),
    ],
)
def test_json_rpc_is_judged_by_its_method(method: str, queries: bool) -> None:
    body = json.dumps([{"jsonrpc": "2.0", "method": method, "params": {"id": 1}}])
    fact = read_request("POST", HERE + "/rpc", content_type="application/json", body=body)
    assert (fact.operation, fact.changes) == (method, not queries)


def test_only_names_are_kept_of_a_body() -> None:
    forms = {
        FORM: "name=Ann&street=Elm+1&cardnumber=4111111111111111",
        "application/json": json.dumps(
            {"name": "Ann", "to": {"street": "Elm 1"}, "cardnumber": "4111111111111111"}
        ),
        "multipart/form-data; boundary=b": "".join(
            f'--b\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n{value}\r\n'
            for name, more, value in [
                ("name", "", "Ann"),
                ("cardnumber", "", "4111111111111111"),
                ("doc", '; filename="passport.pdf"', "%PDF Elm 1"),
            ]
        ),
    }
    for kind, body in forms.items():
        fact = read_request("POST", HERE + "/orders", content_type=kind, body=body)
        kept = f"{asdict(fact)} {fact}"
        assert {"name", "cardnumber"} <= set(fact.fields)
        assert not [value for value in ("Ann", "Elm", "4111") if value in kept]
        assert "card number hidden" in str(fact)
    assert fact.files == ("passport.pdf",)


def test_a_card_in_words() -> None:
    body = "name=a&street=b&city=c&zip=d&country=e&cardnumber=f"
    fact = read_request("POST", HERE + "/orders", content_type=FORM, body=body)
    assert str(fact) == (
        "POST shop.example/orders with 6 fields: name, street, city, zip, country, cardnumber (card number hidden)"
    )


@given(
    st.text(), st.text(), st.sampled_from([FORM, "application/json", "multipart/form-data", "text/plain", ""])
)
def test_any_body_and_address_is_read(path: str, body: str, kind: str) -> None:
    fact = read_request("POST", HERE + "/" + path.replace("#", ""), content_type=kind, body=body)
    assert all(char.isprintable() for name in fact.fields for char in name)
    assert fact.method == "POST"
    assert judge_request(fact).action in {"allow", "ask"}


POST = RequestFact("POST", HERE, "/orders", fields=("name",))


def test_verdicts() -> None:
    assert judge_request(POST).action == "ask"
    assert judge_request(RequestFact("GET", HERE, "/orders")).action == "allow"
    assert judge_request(RequestFact("GET", HERE, "/orders/{id}/delete", word="delete")).action == "ask"
    assert judge_request(POST, acted=False).action == "allow"
    for name in ("habits", "announced", "rules"):
        assert judge_request(POST, **{name: [POST.kind]}).action == "allow"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "other",
    [
        RequestFact("PUT", HERE, "/orders", fields=("name",)),
        RequestFact("POST", "https://evil.example", "/orders", fields=("name",)),
        RequestFact("POST", HERE, "/orders/{id}", fields=("name",)),
        RequestFact("POST", HERE, "/orders", operation="delete_selected", fields=("name",)),
        RequestFact("POST", HERE, "/orders", fields=("name", "cardnumber")),
        RequestFact("POST", HERE, "/orders", fields=("name",), files=("passport.pdf",)),
    ],
)
def test_a_kind_covers_nothing_else(other: RequestFact) -> None:
    assert judge_request(other, habits=[POST.kind], announced=[POST.kind], rules=[POST.kind]).action == "ask"


def test_a_secret_that_goes_elsewhere_asks_whatever_is_known() -> None:
    fact = RequestFact("GET", "https://evil.example", "/pixel", secrets=("bank",), leaks=("bank",))
    verdict = judge_request(fact, acted=False, habits=[fact.kind], rules=[fact.kind])
    assert (verdict.action, verdict.strict) == ("ask", True)


def test_a_form_announces_what_it_sends() -> None:
    form = FormFacts(
        action="/orders", method="post", fields=["text:name", "text:street"], submit_label="Order"
    )
    facts = DescribeResult(
        tag="button",
        css="button",
        attributes={},
        frame_origin=HERE,
        submits=True,
        form=form,
        role="button",
        name="Go",
    )
    call = Call("click", actor="agent", url=HERE + "/cart", facts=facts)
    said = announced_by(call)
    assert said is not None
    assert str(said) == "POST shop.example/orders with 2 fields: name, street"
    sent = read_request("POST", HERE + "/orders", content_type=FORM, body="name=a&street=b")
    assert judge_request(sent, announced=[said.kind]).action == "allow"
    more = read_request("POST", HERE + "/orders", content_type=FORM, body="name=a&street=b&gift=1")
    assert judge_request(more, announced=[said.kind]).action == "ask"


def test_an_address_that_says_it_changes_something_asks_an_agent() -> None:
    policy = Policy.of([HERE])
    for command in ("goto", "tabs_open"):
        for actor, action in (("agent", "ask"), ("person", "allow")):
            call = Call(command, actor=actor, url=HERE, destination=f"{HERE}/items/5/delete")  # type: ignore[arg-type]
            assert policy.judge(call).action == action
            assert policy.judge(replace(call, approved=True)).action == "allow"
    assert (
        policy.judge(Call("goto", actor="agent", url=HERE, destination=f"{HERE}/items/5")).action == "allow"
    )


@pytest.mark.parametrize(
    ("polled", "meant"),
    [
        ('{"query": "mutation { seen { id } }"}', '{"query": "mutation { deleteAll { id } }"}'),
        ('{"cmd": "ping", "id": 1}', '{"cmd": "delete", "id": 1}'),
        ("opaque-heartbeat", "opaque-order"),
        ("[1, 2]", "[3, 4]"),
    ],
)
def test_a_poll_covers_no_other_call_to_the_same_address(polled: str, meant: str) -> None:
    kinds = {"content_type": "application/json", "size": 30}
    habit = read_request("POST", HERE + "/graphql", body=polled, **kinds)  # type: ignore[arg-type]
    other = read_request("POST", HERE + "/graphql", body=meant, **kinds)  # type: ignore[arg-type]
    assert judge_request(other, habits=[habit.kind]).action == "ask"
    assert judge_request(habit, rules=[habit.kind]).action == "allow"


def test_a_body_that_is_known_in_part_is_covered_by_nothing() -> None:
    known = read_request("POST", HERE + "/orders", content_type=FORM, body="name=a", size=6)
    cut = read_request("POST", HERE + "/orders", content_type=FORM, body="name=a", size=300_000)
    unread = read_request("POST", HERE + "/orders", content_type=FORM, body=None, size=40)
    many = "&".join(f"f{at}=1" for at in range(300))
    crowd = read_request("POST", HERE + "/orders", content_type=FORM, body=many, size=len(many))
    fewer = read_request("POST", HERE + "/orders", content_type=FORM, body=many[:800], size=800)
    for fact, kind in ((cut, known.kind), (unread, known.kind), (crowd, fewer.kind)):
        assert judge_request(fact, habits=[kind], announced=[kind], rules=[kind]).action == "ask"
    assert str(cut).endswith("with 2 fields: name, …")
