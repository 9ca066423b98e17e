from __future__ import annotations

import json
import logging
from dataclasses import asdict, replace
from pathlib import Path

import pandas as pd
import pytest

from skillbook.errors import NotAllowed
from skillbook.policy import Call, learnable_kind, learnable_request
from skillbook.policy.request_facts import RequestFact, read_request
from skillbook.session.rule_book import RuleBook

SHOP = "https://shop.test"
CLICK = Call("click", actor="agent", url=f"{SHOP}/basket", role="button", label="Next")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "rules.json"


def test_a_kept_rule_outlives_its_session_and_a_sessions_does_not(path: Path) -> None:
    book = RuleBook(path)
    kept, passing = book.add("click", f"{SHOP}/any/page", "always"), book.add("fill", SHOP)
    assert path.stat().st_mode & 0o777 == 0o600
    assert book.match(CLICK) == kept
    assert {rule.id for rule in book} == {kept.id, passing.id}
    assert [rule.id for rule in RuleBook(path)] == [kept.id]


def test_a_rule_is_for_its_command_and_origin_alone(path: Path) -> None:
    book = RuleBook(path)
    book.add("click", SHOP)
    assert book.match(Call("dblclick", actor="agent", url=SHOP)) is None
    for other in ("http://shop.test", "https://www.shop.test", "https://shop.test:8443", "about:blank"):
        assert book.match(Call("click", actor="agent", url=other)) is None
    inside = Call("click", actor="agent", url=SHOP, frame_url="https://ads.test/")
    assert book.match(inside) is None


def test_fault_30_a_rule_covers_only_controls_of_the_kind_shown() -> None:
    book = RuleBook()
    page = Call("click", actor="agent", url=SHOP, role="button", label="Page 2")
    kind = learnable_kind(page)
    assert kind is not None
    rule = book.add(kind.command, kind.origin, role=kind.role, label=kind.label)
    assert book.match(page) == rule
    assert book.match(replace(page, label="page 13")) == rule
    for other in ({"label": "Page up"}, {"role": "generic"}, {"label": ""}, {"label": "Page 2 and quit"}):
        assert book.match(replace(page, **other)) is None
    assert learnable_kind(replace(page, role="generic", label="")) is None, "nobody knows what it does"


def test_rules_are_revoked_one_by_one_and_all_in_every_kernel(path: Path) -> None:
    book, other = RuleBook(path), RuleBook(path)
    first, second = book.add("click", SHOP, "always"), book.add("fill", SHOP, "always")
    book.add("hover", SHOP)
    assert len(other) == 2
    other.remove(first.id)
    assert book.match(CLICK) is None
    with pytest.raises(NotAllowed):
        book.remove(first)
    assert book.clear() == 2
    assert list(other) == []
    assert second not in list(book)


def test_the_same_rule_is_learned_once_and_grows(path: Path) -> None:
    book = RuleBook(path)
    first = book.add("click", SHOP)
    assert book.add("click", SHOP) == first
    assert book.add("click", SHOP, "always").scope == "always"
    assert book.add("click", SHOP).scope == "always"
    assert len(book) == 1


@pytest.mark.parametrize(
    "call",
    [
        Call("click", actor="agent", url=SHOP, role="button", label="Pay now"),
        Call("fill", actor="agent", url=SHOP, with_secret=True),
        Call("evaluate", actor="agent", url=SHOP),
        Call("click", actor="agent", url="about:blank"),
        Call("click", actor="agent", url=SHOP, role="button", label="Go", submits=True, secret=True),
    ],
)
def test_nothing_is_learned_about_what_cannot_be_undone_or_is_secret(path: Path, call: Call) -> None:
    book = RuleBook(path)
    for command in ("click", "fill"):
        book.add(command, SHOP)
    assert learnable_kind(call) is None
    assert book.match(call) is None


def test_rules_for_irreversible_commands_are_refused(path: Path) -> None:
    for command, origin in (
        ("evaluate", SHOP),
        ("nonsense", SHOP),
        ("click", "javascript:1"),
        ("click", "*"),
    ):
        with pytest.raises(NotAllowed):
            RuleBook(path).add(command, origin, "always")
    with pytest.raises(NotAllowed):
        RuleBook().add("click", SHOP, "always")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "{}",
        "[1]",
        '[{"id": "x"}]',
        '[{"id": 1, "command": 1, "origin": 1, "scope": 1, "made": 1}]',
    ],
)
def test_a_broken_file_allows_nothing(path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    book = RuleBook(path)
    assert book.match(CLICK) is None
    book.add("click", SHOP, "always")
    assert [rule.command for rule in RuleBook(path)] == ["click"]


def test_a_file_cannot_smuggle_in_what_is_never_learned(path: Path) -> None:
    path.parent.mkdir()
    rows = [
        {
            "id": "1",
            "command": "evaluate",
            "origin": SHOP,
            "role": "*",
            "label": "",
            "scope": "always",
            "made": "now",
        },
        {
            "id": "2",
            "command": "click",
            "origin": "https://shop.test@evil.test/",
            "role": "*",
            "label": "",
            "scope": "always",
            "made": "now",
        },
        {
            "id": "3",
            "command": "click",
            "origin": SHOP,
            "role": "*",
            "label": "",
            "scope": "session",
            "made": "now",
        },
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert list(RuleBook(path)) == []


def note(path: str) -> RequestFact:
    body = '{"text": "a"}'
    return read_request("POST", SHOP + path, content_type="application/json", body=body)


def test_fault_54_allowed_requests_are_listed_and_taken_back(path: Path) -> None:
    book = RuleBook(path)
    kind = learnable_request(note("/notes/5"))
    assert kind is not None
    rule = book.add_request(kind)
    assert book.add_request(kind) == rule
    assert list(book) == [rule]
    assert "POST https://shop.test/notes/5 with the same text" in repr(book)
    assert "POST https://shop.test/notes/5 with the same text" in book._repr_mimebundle_()["text/html"]
    assert book.match_request(note("/notes/5")) == rule
    assert book.match_request(note("/notes/6")) is None
    assert book.match(CLICK) is None
    assert list(RuleBook(path)) == [], "it is for this session"
    book.remove(rule)
    assert book.match_request(note("/notes/5")) is None
    book.add_request(kind)
    assert book.clear() == 1
    assert book.match_request(note("/notes/5")) is None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(replace(rule, scope="always"))]))
    assert list(RuleBook(path)) == [], "no file makes one"


def test_it_shows_itself(path: Path) -> None:
    book = RuleBook(path)
    assert "no rules" in repr(book)
    rule = book.add("click", SHOP, "always")
    assert rule.id in repr(book)
    assert "https://shop.test" in repr(book)
    shown = book._repr_mimebundle_()
    assert shown["text/plain"] == repr(book)
    assert "<td>https://shop.test</td>" in shown["text/html"]
    columns = ["id", "command", "origin", "role", "label", "scope", "made", "request"]
    assert list(pd.DataFrame(book).columns) == columns
    assert book._ipython_key_completions_() == [rule.id]
    assert book[rule.id] == rule
