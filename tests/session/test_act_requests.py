"""What became of an act's requests, without a browser."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from skillbook.protocol.events import RequestFailed
from skillbook.session.page.act_requests import ActLog, FailedRequest, RequestOutcome, failed_requests

SHOP = "https://www.shop.example/cart"


def failed(
    url: str = "https://www.shop.example/orders", status: int | None = 500, **more: Any
) -> RequestFailed:
    facts = {
        "method": "POST",
        "resource_type": "xmlhttprequest",
        "age_ms": 0.0,
        "caused": True,
        "habit": False,
    }
    return RequestFailed(url=url, status=status, **{**facts, **more})


def log() -> ActLog:
    acts = ActLog(lambda url: url.replace("hunter2", "***"))
    acts.begin(1)
    return acts


@pytest.mark.parametrize(
    ("request_", "is_own"),
    [
        (failed(), True),
        (failed("https://api.shop.example/orders"), True),
        (failed("https://ads.example/pixel"), False),
        (failed("http://127.0.0.1:9/x"), False),
        (failed(resource_type="image"), False),
        (failed(resource_type="script"), False),
        (failed(resource_type="sub_frame"), True),
        (failed("https://ads.example/frame", resource_type="sub_frame"), False),
        (failed("https://elsewhere.example/gone", resource_type="main_frame"), True),
        (failed(method="OPTIONS"), False),
        (failed(method="HEAD"), False),
        (failed(habit=True), False),
        (failed(caused=False), False),
        (failed(status=None, error="net::ERR_CONNECTION_RESET"), True),
        (failed(status=None, error="net::ERR_BLOCKED_BY_CLIENT"), False),
    ],
)
def test_a_failure_counts_where_the_act_sent_it_to_the_pages_own_site(
    request_: RequestFailed, is_own: bool
) -> None:
    acts = log()
    acts.take(request_, SHOP)
    assert bool(failed_requests([acts.current])) is is_own
    assert acts.current.error == ("request_failed" if is_own else None)


def test_a_success_of_the_same_request_takes_the_failure_back() -> None:
    acts = log()
    changes: list[str] = []
    acts.current.changed.append(lambda: changes.append(acts.current.problem))
    acts.take(failed(), SHOP)
    acts.take(failed(status=200), SHOP)
    assert acts.current.error is None
    assert changes == ["failed: POST https://www.shop.example/orders 500", ""]


def test_a_later_act_of_the_same_request_takes_nothing_back() -> None:
    acts = log()
    acts.take(failed(), SHOP)
    acts.begin(2)
    acts.take(failed(status=200), SHOP)
    assert [act.error for act in acts.since(1)] == ["request_failed", None]


def test_secrets_are_masked_in_the_address() -> None:
    acts = log()
    acts.take(failed("https://www.shop.example/orders?key=hunter2"), SHOP)
    assert "hunter2" not in acts.current.problem


def test_an_address_with_ids_has_the_shape_of_another_run() -> None:
    request = FailedRequest("PUT", "https://shop.example/orders/2041/lines?page=2", 409)
    assert request.shape == ("PUT", "/orders/{id}/lines?page", "409")
    assert FailedRequest("GET", "https://shop.example/", None, "net::ERR_FAILED").shape == (
        "GET",
        "/",
        "broke",
    )


def test_the_journal_takes_what_was_refused_as_a_whole_for_refused_and_a_part_for_an_error() -> None:
    notes: list[str] = []
    journal: Any = SimpleNamespace(note=lambda intent, kind, data: notes.append(data))
    fact: Any = "POST shop.example/orders"
    acts = log()
    acts.current.journaled(journal, 7)
    acts.current.decided(RequestOutcome(fact, "blocked", "the person refused", asked=True))
    acts.current.decided(RequestOutcome(fact, "sent", "", asked=True))
    assert ['"refused"' in note.partition("error")[0] for note in notes] == [True, False]
    assert "the person refused" in acts.current.problem
    assert "sent POST shop.example/orders" in acts.current.problem


def test_a_request_that_was_sent_before_an_act_is_none_of_it_however_late_that_is_reported() -> None:
    acts = log()
    acts.current.called("100")
    acts.begin(2)
    acts.current.called("200")
    acts.take(failed(act=100), SHOP)  # the report took its time, so that it seems to be sent just now
    assert [bool(act.failed) for act in acts.since(1)] == [True, False]
    acts.take(failed(act=200), SHOP)
    assert [bool(act.failed) for act in acts.since(1)] == [True, True]


def test_a_request_of_an_act_that_goes_on_is_its_own() -> None:
    acts = log()
    acts.current.called("100")
    acts.begin(2)
    acts.take(failed(act=200), SHOP)
    assert [bool(act.failed) for act in acts.since(1)] == [False, True]


def test_a_request_from_before_all_acts_is_none_of_theirs() -> None:
    acts = log()
    acts.current.called("100")
    acts.take(failed(act=50), SHOP)
    assert not acts.current.failed


def test_an_act_may_have_several_calls() -> None:
    acts = log()
    for name in ("100", "120"):
        acts.current.called(name)
    acts.begin(2)
    acts.current.called("200")
    acts.take(failed(act=110), SHOP)
    assert [bool(act.failed) for act in acts.since(1)] == [True, False]
