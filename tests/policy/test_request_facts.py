"""What requests are taken for: templates, bodies, words in addresses, verdicts."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.policy import Policy
from skillbook.policy.labels import says_change
from skillbook.policy.request_bodies import only_queries
from skillbook.policy.request_facts import (
    RequestFact,
    judge_request,
    read_request,
)
from skillbook.policy.request_rules import learnable_request
from skillbook.policy.request_shape import Habits, RequestShape, shape_of
from skillbook.policy.rules import Call
from skillbook.policy.urls import path_template

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
        ("/s/k3Jf9aQz/save", "/s/{id}/save"),
        ("/s/20260709T101112Z", "/s/{id}"),
        ("/oauth2callback/mp3to4", "/oauth{id}callback/mp{id}to{id}"),
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
        ("/items/5/DeLeTe", "delete"),
        ("/items/5/de%256Cete", "delete"),
        ("/items/5/%EF%BD%84%EF%BD%85%EF%BD%8C%EF%BD%85%EF%BD%94%EF%BD%85", "delete"),
        ("/items/5/%E5%88%A0%E9%99%A4", "delete"),
        ("/items/5/l%C3%B6schen", "delete"),
        ("/x?op=delete%2F5", "delete"),
        ("/x?do=delete_it_now_please_all", "delete"),
        ("/x?q=%7B%22action%22%3A%22delete%22%7D", "delete"),
        ("/x?back=%2Fitems%2F5%2Fdelete", None),
        ("/x?q=%7Bdelete%7D", None),
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
    ("method", "headers", "body", "changes"),
    [
        ("OPTIONS", {}, "amount=1", True),
        ("OPTIONS", {"Access-Control-Request-Method": "PUT"}, None, False),
        ("GET", {"HTTP-Method-Override": "DELETE"}, None, True),
        ("GET", {"X-HTTP-Verb": "delete"}, None, True),
        ("GET", {"X-Do": "PATCH"}, None, True),
        ("GET", {"X-Forwarded-Uri": "/items/5/delete"}, None, True),
        ("GET", {"X-Forwarded-Uri": "/items/5"}, None, False),
        ("GET", {"X-Method-Override": "GET"}, None, False),
        ("GET", {"HX-Trigger-Name": "delete-button"}, None, False),
    ],
)
def test_a_header_or_a_body_may_make_a_safe_method_a_write(
    method: str, headers: dict[str, str], body: str | None, changes: bool
) -> None:
    fact = read_request(method, HERE + "/x", headers=headers, body=body, size=len(body or ""))
    assert fact.changes is changes
    assert judge_request(fact).action == ("ask" if changes else "allow")


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
    "said",
    [
        {"query": "{ a }", "comment": "x"},
        {"query": "{ a }", "doc_id": "x"},
        {"query": "{ a }", "Query": "mutation { b }"},
        {"query": "{ a }", "extensions": {"persistedQuery": {"sha256Hash": "x"}}},
        {"query": "{ a }", "variables": ["x"]},
        {"operationName": "A"},
        {"query": ["{ a }"]},
        {"query": "{ a } #\rmutation { b }"},
        {"query": "{ deleteItem(id: 5) { id } }"},
        {"query": "query A { a } query B { ...F } fragment F on Query { removeAll }"},
        {"query": "{ a } type Query { a: Int }"},
        {"query": "{ a \ufffd }"},
        {"query": "{" * 5_000},
    ],
)
def test_fault_48_only_the_whole_envelope_is_a_query(said: dict[str, object]) -> None:
    body = json.dumps([{"query": "{ a }"}, said])
    assert read_request("POST", HERE + "/graphql", content_type="application/json", body=body).changes


@pytest.mark.parametrize(
    ("method", "path", "kind", "headers"),
    [
        ("PUT", "/graphql", "application/json", {}),
        ("DELETE", "/graphql", "application/json", {}),
        ("POST", "/graphql", "text/plain", {}),
        ("POST", "/graphql", "application/x-www-form-urlencoded", {}),
        ("POST", "/graphql", "application/json, text/plain", {}),
        ("POST", "/graphql", "application/json; charset=utf-7", {}),
        ("POST", "/graphql", "application/json", {"Content-Encoding": "gzip"}),
        ("POST", "/graphql", "application/json", {"X-HTTP-Method-Override": "DELETE"}),
        ("POST", "/graphql", "application/json", {"X-Original-URL": "/items/5/delete"}),
        ("POST", "/graphql?query=mutation{a}", "application/json", {}),
        ("POST", "/graphql?doc_id=5", "application/json", {}),
        ("POST", "/graphql?_method=DELETE", "application/json", {}),
        ("POST", "/items", "application/json", {}),
        ("GET", "/items/5?_method=put", "", {}),
        ("GET", "/items/5", "", {"x-http-method": "PATCH"}),
        ("GET", "/", "", {"X-Rewrite-URL": "/items/5/delete"}),
    ],
)
def test_fault_48_nothing_beside_a_query_says_more(
    method: str, path: str, kind: str, headers: dict[str, str]
) -> None:
    body = None if method == "GET" else '{"query": "{ a }"}'
    fact = read_request(method, HERE + path, content_type=kind, headers=headers, body=body)
    assert fact.changes
    assert judge_request(fact).action == "ask"


def test_a_plain_query_passes() -> None:
    body = '{"operationName": "A", "query": "query A { a }", "variables": {"x": 1}, "extensions": {}}'
    kind = "application/json; charset=UTF-8"
    assert not read_request("POST", HERE + "/graphql", content_type=kind, body=body).changes
    assert not read_request(
        "POST", HERE + "/graphql", content_type="application/graphql", body="{ a }"
    ).changes


@pytest.mark.parametrize("method", ["getUser", "items.list", "findAndRemove", ""])
def test_fault_48_a_json_rpc_method_says_nothing_for_itself(method: str) -> None:
    body = json.dumps([{"jsonrpc": "2.0", "method": method, "params": {"id": 1}}])
    fact = read_request("POST", HERE + "/rpc", content_type="application/json", body=body)
    assert (fact.operation, fact.changes) == (method, True)


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
    assert judge_request(POST, habitual=True).action == "allow"
    assert judge_request(replace(POST, navigates=True), habitual=True).action == "ask"
    assert judge_request(POST, announced=True).action == "allow"
    assert judge_request(POST, rule="a1").action == "allow"


def test_a_secret_that_goes_elsewhere_asks_whatever_is_known() -> None:
    fact = RequestFact("GET", "https://evil.example", "/pixel", secrets=("bank",), leaks=("bank",))
    verdict = judge_request(fact, acted=False, habitual=True, rule="a1")
    assert (verdict.action, verdict.strict) == ("ask", True)


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


def sent(method: str, url: str, headers: dict[str, str], body: str) -> RequestShape:
    return shape_of(method, url, headers, body.encode())


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
    habits = Habits()
    headers = {"Content-Type": "application/json"}
    for _ in range(2):
        habits.note(sent("POST", HERE + "/graphql", headers, polled))
    assert habits.include(sent("POST", HERE + "/graphql", headers, polled))
    assert not habits.include(sent("POST", HERE + "/graphql", headers, meant))


def covered(own: list[tuple[str, str, dict[str, object]]], later: tuple[str, str, dict[str, object]]) -> bool:
    """Whether what a page sent by itself covers what it sends later; each is a header's value, a path, a body."""
    habits = Habits()
    *seen, asked = [
        sent("POST", HERE + path, {"X-Do": said, "Sec-Fetch-Site": path}, json.dumps(body))
        for said, path, body in [*own, later]
    ]
    for each in seen:
        habits.note(each)
    return habits.include(asked)


def test_fault_49_only_numbers_and_keys_that_differed_before_may_differ() -> None:
    own = [("a", f"/poll/{at}?t={at}", {"at": at, "id": f"3f2a9c81d0e{at}b", "do": "look"}) for at in (1, 2)]
    later = {"at": 1.5, "id": "77aa9c81d0e9b", "do": "look"}
    assert covered(own, ("a", "/poll/3?t=3", later))
    for other in ("/poll/3?t=99", "/poll/9?t=3", "/poll/0?t=3"):
        assert not covered(own, ("a", other, later))
    assert not covered(own[:1], ("a", "/poll/3?t=3", later))
    assert covered(own[:1], own[0])


@pytest.mark.parametrize(
    ("first", "second", "later"),
    [
        ({"do": "look"}, {"do": "see"}, {"do": "wipe"}),
        ({"do": "look", "id": 1}, {"do": "wipe", "id": 2}, {"do": "wipe", "id": 1}),
        ({"calls": [{"do": "look"}]}, {"calls": [{"do": "look"}]}, {"calls": [{"do": "wipe"}]}),
        ({"calls": [1]}, {"calls": [2]}, {"calls": [1, 2]}),
        ({"on": True}, {"on": True}, {"on": False}),
        ({"id": 1}, {"id": 1}, {"id": 2}),
        ({"id": 1}, {"id": 2}, {"id": None}),
        ({"id": 1}, {"id": 2}, {"id": 3, "all": 1}),
        ({"p": '{"do": "look", "n": 1}'}, {"p": '{"do": "look", "n": 2}'}, {"p": '{"do": "wipe", "n": 3}'}),
        ({"k": "view-1-of-2-and-3-x"}, {"k": "view-1-of-2-and-4-x"}, {"k": "delete-1-of-2-and-4-x"}),
    ],
)
def test_fault_49_another_value_is_another_thing(
    first: dict[str, object], second: dict[str, object], later: dict[str, object]
) -> None:
    assert not covered([("a", "/x", first), ("a", "/x", second)], ("a", "/x", later))


@pytest.mark.parametrize(
    "later", [("b", "/items/5", {}), ("a", "/items/6", {}), ("a", "/items/5?do=wipe", {})]
)
def test_fault_49_another_header_or_address_is_another_thing(
    later: tuple[str, str, dict[str, object]],
) -> None:
    assert not covered([("a", "/items/5", {}), ("a", "/items/5", {})], later)


def test_a_body_that_is_known_in_part_makes_no_rule() -> None:
    cut = read_request("POST", HERE + "/orders", content_type=FORM, body="name=a", size=300_000)
    unread = read_request("POST", HERE + "/orders", content_type=FORM, body=None, size=40)
    many = "&".join(f"f{at}=1" for at in range(300))
    crowd = read_request("POST", HERE + "/orders", content_type=FORM, body=many, size=len(many))
    for fact in (cut, unread, crowd):
        assert learnable_request(fact) is None
    assert str(cut).endswith("with 2 fields: name, …")
