from __future__ import annotations

import pytest

from skillbook.errors import ConfigError
from skillbook.policy import Call, Policy

SHOP = "https://shop.test/basket"


@pytest.fixture
def policy() -> Policy:
    return Policy.of(["https://shop.test"], forbidden=["http://localhost:8888"])


def test_writes_only_on_allowed_origins(policy: Policy) -> None:
    assert policy.judge(Call("click", url=SHOP)).action == "allow"
    verdict = policy.judge(Call("click", url="https://evil.test/"))
    assert (verdict.action, verdict.origin) == ("refuse", "https://evil.test")


def test_reads_go_anywhere_but_to_the_notebook_server(policy: Policy) -> None:
    assert policy.judge(Call("snapshot", url="https://evil.test/")).action == "allow"
    assert policy.judge(Call("snapshot", url="http://127.0.0.1:8888/lab")).action == "refuse"
    assert policy.judge(Call("goto", url=SHOP, destination="http://127.0.0.1:8888/lab")).action == "refuse"


def test_a_frame_counts_by_its_own_origin(policy: Policy) -> None:
    assert policy.judge(Call("fill", url=SHOP, frame_url="https://pay.test/card")).action == "refuse"
    assert policy.judge(Call("fill", url=SHOP, frame_url=None)).action == "allow"


def test_irreversible_steps_ask_unless_the_person_does_them(policy: Policy) -> None:
    call = {"command": "click", "url": SHOP, "role": "button", "label": "Place order"}
    assert policy.judge(Call(**call, actor="agent")).action == "ask"
    assert policy.judge(Call(**call, actor="agent", approved=True)).action == "allow"
    assert policy.judge(Call(**call, actor="replay")).action == "ask"
    assert policy.judge(Call(**call, actor="person")).action == "allow"


def test_an_agent_asks_before_it_leaves_the_allowed_origins(policy: Policy) -> None:
    assert (
        policy.judge(Call("goto", actor="agent", url=SHOP, destination="https://other.test/")).action == "ask"
    )
    assert (
        policy.judge(Call("goto", actor="agent", url=SHOP, destination="https://shop.test/a")).action
        == "allow"
    )


def test_no_approval_lifts_a_refusal(policy: Policy) -> None:
    assert policy.judge(Call("click", url="https://evil.test/", approved=True)).action == "refuse"


def test_opening_a_url_allows_it_and_its_sites_redirect(policy: Policy) -> None:
    policy.allow_landing("http://example.com", "https://www.example.com/")
    assert policy.judge(Call("click", url="https://www.example.com/x")).action == "allow"
    policy.allow_landing("https://short.test", "https://evil.test/")
    assert policy.judge(Call("click", url="https://evil.test/")).action == "refuse"


def test_what_has_no_origin_cannot_be_allowed(policy: Policy) -> None:
    with pytest.raises(ConfigError):
        policy.allow("javascript:alert(1)")


def test_pages_that_are_no_web_pages_are_not_written_to(policy: Policy) -> None:
    assert policy.judge(Call("click", url="chrome://settings")).action == "refuse"


def test_the_origins_that_a_person_would_have_to_allow_are_those_that_a_call_writes_on_or_goes_to(
    policy: Policy,
) -> None:
    click = Call("click", actor="agent", url="https://evil.test/", frame_url="https://pay.test/card")
    assert policy.missing_origins(click) == ["https://evil.test", "https://pay.test"]
    assert policy.missing_origins(Call("snapshot", actor="agent", url="https://evil.test/")) == []
    going = Call("goto", actor="agent", url="https://evil.test/", destination="https://other.test/a")
    assert policy.missing_origins(going) == ["https://other.test"]
    policy.visitable.add("https://other.test")
    assert policy.missing_origins(going) == []
    assert policy.judge(going).action == "allow"
    assert policy.judge(Call("click", actor="agent", url="https://other.test/")).action == "refuse"


@pytest.mark.parametrize(
    ("url", "redirected_from", "code"),
    [
        ("https://foreign.test/x", "https://site.test", "origin"),
        ("https://foreign.test/x", None, "origin"),
        ("https://foreign.test/x", "https://elsewhere.test", None),
        ("https://site.test/next", None, None),
        ("https://www.site.test/", "https://site.test", None),
        ("https://approved.test/", "https://site.test", None),
        ("https://foreign.test/x", "https://approved.test", "origin"),
        ("http://127.0.0.1:8888/lab", "https://site.test", "own_server"),
    ],
)
def test_fault_69_where_a_redirect_leads_is_judged_like_an_address(
    url: str, redirected_from: str | None, code: str | None
) -> None:
    policy = Policy.of(["https://site.test"], forbidden=["http://127.0.0.1:8888"])
    verdict = policy.judge_landing(url, redirected_from=redirected_from, approved={"https://approved.test"})
    assert (verdict.code if verdict else None) == code
