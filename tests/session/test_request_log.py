"""What a watched page sends: by which step, and what it sends by itself."""

from __future__ import annotations

from itertools import count

from skillbook.protocol.events import RequestLogged
from skillbook.session.page.request_log import RequestLog, shown

_IDS = count()


def send(log: RequestLog, url: str, method: str = "GET", body: str | None = None) -> None:
    log.take(
        RequestLogged(
            id=str(next(_IDS)), method=method, url=url, resource_type="Fetch", started=0, post_data=body
        )
    )


def said(log: RequestLog) -> list[tuple[str, bool]]:
    return [(each.step, each.by_itself) for each in (shown(entry, entry.seen.url) for entry in log.entries)]


def test_a_poll_is_no_steps() -> None:
    log = RequestLog(1_000_000)
    for at in range(2):
        send(log, f"https://a.test/news?since={at}")
    log.begin_action("click button 'Save'")
    send(log, "https://a.test/news?since=9")
    send(log, "https://a.test/save", "POST", "{}")
    log.end_action()
    assert said(log) == [
        ("", False),
        ("", True),
        ("click button 'Save'", True),
        ("click button 'Save'", False),
    ]
    assert "as the page sends by itself" in str(shown(log.entries[2], "https://a.test/news"))


def test_what_follows_each_action_once_is_still_caused_by_it() -> None:
    log = RequestLog(1_000_000)
    for word in ("la", "lam", "lamp"):
        log.begin_action("type")
        log.end_action()
        send(log, f"https://a.test/suggest?q={word}")
    log.begin_action("type")
    send(log, "https://a.test/suggest?q=lamps")
    assert not any(by_itself for _, by_itself in said(log))


def test_another_body_is_another_request() -> None:
    log = RequestLog(1_000_000)
    for _ in range(3):
        send(log, "https://a.test/graphql", "POST", "query news")
    log.begin_action("click button 'Order'")
    send(log, "https://a.test/graphql", "POST", "mutation order")
    assert said(log)[-1] == ("click button 'Order'", False)
