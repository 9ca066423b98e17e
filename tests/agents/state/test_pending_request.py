"""A question about a request: who decides sees its very address, and what is kept has neither ids nor values."""

from __future__ import annotations

from types import SimpleNamespace

from skillbook.agents.run.run_view import question_of
from skillbook.agents.run.run_words import kept_words, question_words
from skillbook.agents.state.step_records import PendingCall, Review
from skillbook.mcp_server.person_questions import question_text
from skillbook.policy.request_facts import RequestVerdict, read_request
from skillbook.session.page.act_requests import HeldRequest


def held(
    method: str = "DELETE", url: str = "https://shop.test/api/plot/41", address: str = ""
) -> PendingCall:
    """A request that waits; what a person reads of its address is `address`, or all of it."""
    fact = read_request(method, url, from_origin="https://shop.test")
    request = HeldRequest(
        fact, RequestVerdict("ask", "it may change something"), "click on button 'Give up'",
        address=address or fact.address,
    )  # fmt: skip
    review = Review(True, True, "irreversible", strict=True, reason=str(request), target=str(fact))
    args = {"request": str(fact)}
    return PendingCall("q", "c", "send_request", args, "", review, {}, ("approve",), request=request)


def test_who_decides_sees_which_one_is_deleted_and_how_code_calls_it() -> None:
    pending = held()
    assert pending.text == (
        "PendingRequest(click on button 'Give up' wants to send DELETE shop.test/api/plot/41: "
        "it may change something, expect='DELETE /api/plot/41')"
    )
    assert "DELETE shop.test/api/plot/41" in pending.why
    assert question_words(pending) == "Send DELETE shop.test/api/plot/41"


def test_a_client_and_the_notebooks_panel_show_the_very_address() -> None:
    pending = held()
    first, why, *_ = question_text(pending, "Tester").split("\n")
    assert first == "Send DELETE shop.test/api/plot/41"
    assert "shop.test/api/plot/41: it may change something" in why
    shown = question_of(SimpleNamespace(help_noticed=False, last_refusal=None), pending)
    assert shown.call is not None
    assert shown.call.phrase == "Send"
    assert shown.call.target == "DELETE shop.test/api/plot/41"
    assert shown.words == "Send DELETE shop.test/api/plot/41"
    assert "/api/plot/41" in shown.why


def test_what_is_kept_has_neither_ids_nor_values() -> None:
    pending = held(url="https://shop.test/api/plot/41?key=s3cret")
    for kept in (kept_words(pending), pending.review.reason, pending.review.target, str(pending.args)):
        assert "41" not in kept
        assert "s3cret" not in kept
        assert "/api/plot/{id}" in kept


def test_an_address_with_something_masked_or_left_out_is_no_name() -> None:
    pending = held(url="https://shop.test/api/plot/41?key=s3cret", address="/api/plot/41?key=••••••")
    assert "DELETE shop.test/api/plot/41?key=••••••" in pending.text
    assert "s3cret" not in pending.text
    assert pending.text.endswith(", id='q')")
