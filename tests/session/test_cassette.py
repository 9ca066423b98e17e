"""What a cassette keeps, masks, finds again and refuses, without a browser."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbook.errors import CassetteMismatch, CassetteNotFound, ConfigError
from skillbook.policy.secrets import MASK, SecretStore, store
from skillbook.protocol.commands.requests import Header
from skillbook.protocol.events import ExchangeRecorded, RequestWanted
from skillbook.session.cassette import cassette, current
from skillbook.session.cassette.cassette_files import Content, Scrubber, read, write
from skillbook.session.cassette.cassette_parts import RecordedConversation, RecordedNetwork


@pytest.fixture
def scrubber() -> Scrubber:
    secrets = SecretStore({})
    secrets.add("shop", "hunter2-hunter2")
    return Scrubber(secrets, ["sk-key-of-somebody"], ignore=[r"build \d+"])


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    if (running := current()) is not None:
        running.discard()


def exchange(url: str, response: str, *, status: int = 200, **given: Any) -> ExchangeRecorded:
    kind = given.pop("kind", "text/html")
    return ExchangeRecorded(
        method=given.pop("method", "GET"),
        url=url,
        resource_type="Document",
        status=status,
        headers=[Header(name="Content-Type", value=kind), Header(name="Date", value="now")],
        response=base64.b64encode(response.encode()).decode(),
        **given,
    )


def wanted(url: str, **given: Any) -> RequestWanted:
    return RequestWanted(**{"id": "w", "method": "GET", "url": url, "resource_type": "Fetch", **given})


def body_of(answer: dict[str, Any]) -> str:
    return base64.b64decode(answer.get("body", "")).decode()


@pytest.mark.parametrize(
    ("kind", "body", "kept"),
    [
        ("application/x-www-form-urlencoded", "user=ann&password=x%26y", f"user=ann&password={MASK}"),
        ("application/json", '{"q": "lamp", "api_key": "abc"}', f'{{"q": "lamp", "api_key": "{MASK}"}}'),
        ("text/plain", "hunter2-hunter2 and sk-key-of-somebody", f"{MASK} and {MASK}"),
        (
            "multipart/form-data; boundary=----WebKitFormBoundaryAb12",
            '------WebKitFormBoundaryAb12\r\nContent-Disposition: form-data; name="otp"\r\n\r\n123456\r\n',
            f'----boundary\r\nContent-Disposition: form-data; name="otp"\r\n\r\n{MASK}\r\n',
        ),
    ],
)
def test_secrets_of_requests_are_masked(scrubber: Scrubber, kind: str, body: str, kept: str) -> None:
    assert scrubber.request_body(kind, body) == kept


def test_addresses_headers_and_signed_tokens_are_masked(scrubber: Scrubber) -> None:
    assert scrubber.url("https://ann:pw@a.test/x?access_token=abc&q=1#top") == (
        f"https://a.test/x?access_token={MASK}&q=1"
    )
    headers = scrubber.headers(
        [("Set-Cookie", "sid=abc; Path=/"), ("X-Request-Id", "7"), ("Location", "/next")]
    )
    assert headers == [("set-cookie", "sid=scrubbed; Path=/"), ("location", "/next")]
    assert scrubber.text("eyJhbGciOiJIUzI1.eyJzdWIiOiJhbm4i.c2lnbmF0dXJlLW9mLXRva2Vu") == (
        f"eyJhbGciOiJIUzI1.eyJzdWIiOiJhbm4i.{MASK}"
    )
    assert 'value="••••••"' in scrubber.page_text('<input name=p type="password" value="letmein">')


def test_requests_are_answered_in_their_order_and_times_in_addresses_do_not_count(scrubber: Scrubber) -> None:
    content = Content()
    tape = RecordedNetwork(content, scrubber)
    for text in ("first", "second"):
        tape.record(exchange("https://a.test/list", text))
    tape.record(exchange("https://a.test/rates?_=1700000000001", "rates"))
    again = RecordedNetwork(content, scrubber)
    seen = [body_of(again.answer(wanted("https://a.test/list"))) for _ in range(3)]
    assert seen == ["first", "second", "second"]
    assert body_of(again.answer(wanted("https://a.test/rates?_=1800000000002"))) == "rates"
    assert again.missed == []


def test_what_cannot_be_recorded_is_said_when_the_recording_ends() -> None:
    tape = cassette("streams")
    stream = exchange("https://shop.test/prices", "", note="a stream of events has no end to record")
    failed = exchange("https://shop.test/gone", "", status=0, note="Failed")
    tape.network.record(stream.model_copy(update={"response": None}))
    tape.network.record(failed.model_copy(update={"response": None}))
    with pytest.warns(
        UserWarning, match=r"a replay will block \n- GET https://shop.test/prices .*: a stream"
    ) as said:
        tape.stop()
    assert "gone" not in str(said[0].message)


def test_a_request_that_is_not_there_is_blocked_and_says_what_is_near(scrubber: Scrubber) -> None:
    content = Content()
    RecordedNetwork(content, scrubber).record(
        exchange(
            "https://a.test/find", "[]", method="POST", body='{"q":"lamp"}', content_type="application/json"
        )
    )
    tape = RecordedNetwork(content, scrubber)
    other = wanted(
        "https://a.test/find", method="POST", body='{"q":"chair"}', content_type="application/json"
    )
    assert tape.answer(other) == {"status": 0}
    assert tape.answer(wanted("https://a.test/else")) == {"status": 0}
    assert ["lamp" in str(missed) and "chair" in str(missed) for missed in tape.missed] == [True, False]


def request(*texts: str, tools: int = 1) -> dict[str, Any]:
    messages = [{"role": "human", "content": text} for text in texts]
    return {
        "model": "m",
        "messages": messages,
        "options": {"tools": [{"name": f"t{n}"} for n in range(tools)]},
    }


def test_of_each_request_only_what_is_new_is_kept(scrubber: Scrubber) -> None:
    entries: list[dict[str, Any]] = []
    tape = RecordedConversation(entries, scrubber)
    tape.record(request("goal"), {"content": "one"})
    tape.record(request("goal", "page of build 7"), {"content": "two"})
    assert entries[1] == {
        "kept_messages": 1,
        "new_messages": [{"role": "human", "content": "page of build 7"}],
        "answer": {"content": "two"},
    }
    again = RecordedConversation(entries, scrubber)
    assert again.replay(request("goal")) == {"content": "one"}
    assert again.replay(request("goal", "page of build 8")) == {"content": "two"}
    with pytest.raises(CassetteMismatch, match="once more than when"):
        again.replay(request("goal", "page", "more"))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (request("other goal"), "(?s)request 1 .* messages differ.*-.*goal.*other goal"),
        (request("goal", tools=2), "tools and settings differ"),
    ],
)
def test_a_changed_request_says_what_changed(scrubber: Scrubber, changed: dict[str, Any], words: str) -> None:
    entries: list[dict[str, Any]] = []
    RecordedConversation(entries, scrubber).record(request("goal"), {"content": "one"})
    with pytest.raises(CassetteMismatch, match=words):
        RecordedConversation(entries, scrubber).replay(changed)


@pytest.mark.parametrize(("then", "now"), [("no answer yet", "200"), ("200", "no answer yet")])
def test_when_a_request_was_answered_is_no_change(scrubber: Scrubber, then: str, now: str) -> None:
    entries: list[dict[str, Any]] = []
    sent = "Sent:\n<page>\nPOST /login 303\nPOST /api/orders {}\n</page>"
    RecordedConversation(entries, scrubber).record(request(sent.format(then)), {"content": "one"})
    assert RecordedConversation(entries, scrubber).replay(request(sent.format(now))) == {"content": "one"}
    with pytest.raises(CassetteMismatch, match=r"-POST /login 303\n.*POST /login 500"):
        RecordedConversation(entries, scrubber).replay(request(sent.format(now).replace("303", "500")))


def test_files_are_the_same_for_the_same_run_and_read_line_by_line(
    tmp_path: Path, scrubber: Scrubber
) -> None:
    for name in ("one", "two"):
        content = Content(model=[{"answer": {"content": "a\nb"}}])
        RecordedNetwork(content, scrubber).record(exchange("https://a.test/", "<h1>Hello</h1>"))
        write(tmp_path / name, content)
    files = [sorted((tmp_path / name).rglob("*.*")) for name in ("one", "two")]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]
    assert '"a",\n' in (tmp_path / "one" / "model.json").read_text()
    back = read(tmp_path / "one")
    assert back.model == [{"answer": {"content": "a\nb"}}]
    assert list(back.bodies.values()) == [b"<h1>Hello</h1>"]


def test_a_broken_or_hostile_cassette_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "bad", Content())
    path = tmp_path / "bad" / "network.json"
    path.write_text(json.dumps({"version": 1, "network": [{"body_file": "../../secret.txt"}]}))
    with pytest.raises(CassetteNotFound, match="can't be the name"):
        read(tmp_path / "bad")
    path.write_text("{")
    with pytest.raises(CassetteNotFound, match="can't be read"):
        read(tmp_path / "bad")


def test_once_records_and_then_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    tape = cassette("first")
    assert not tape.replaying
    with pytest.raises(ConfigError, match="still runs"):
        cassette("second")
    tape.stop()
    again = cassette("first")
    assert again.replaying
    assert repr(again) == "<Cassette 'first': replaying, 0 model answers, 0 decisions, 0 requests>"
    again.stop()
    monkeypatch.setenv("SKILLBOOK_CASSETTES", "replay")
    with pytest.raises(CassetteNotFound, match="mode='record'"):
        cassette("never-recorded", mode="record")
    assert current() is None


@pytest.mark.parametrize("name", ["../x", "", "a/b", ".hidden"])
def test_names_lead_nowhere_else(name: str) -> None:
    with pytest.raises(ConfigError):
        cassette(name)


def test_a_failed_block_leaves_no_half_recording(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), cassette("half"):
        raise ZeroDivisionError
    assert not (tmp_path / "cassettes").exists()
    assert current() is None


def test_a_replay_asks_nobody_for_a_secret() -> None:
    cassette("asked").stop()
    with cassette("asked"):
        assert store.add("of-a-replay-only") == "${secret:of-a-replay-only}"
