"""Stored pages are as a browser reads them today, and no test acts on one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import skillbook as sb
from skillbook.io_thread import io
from skillbook.session.sync import Page
from tests.stored_pages import NotStored, StoredPages

Open = Callable[[str], Page]

PAGES = {
    "a table": "<h1>People</h1><table><tr><th>Name<th>Age</tr><tr><td>Ada<td>36</tr><tr><td>Ben<td>41</tr></table>",
    "a form": "<form><label>Name <input value=Ada required></label><select><option>a<option selected>b</select></form>",
    "a script's list": "<ul id=u></ul><script>for (let n = 0; n < 5; n++) u.innerHTML += `<li>Item ${n}</li>`</script>",
    "a late list": "<ul id=u></ul><script>setTimeout(() => { u.innerHTML = '<li>Ada<li>Ben<li>Cid' }, 150)</script>",
    "a frame": "<p>Outside</p><iframe srcdoc='<button>Inside</button>' title=Part></iframe>",
    "a link": "<a href=/2>Next</a><a href=3.html>Third</a>",
}
OF_ONE_READING = {"key", "stamp", "version", "took_ms", "document"}
"""What differs from one reading to the next: random ids, counts and times."""


def lasting(answer: Any) -> Any:
    """An answer without what differs from one reading to the next."""
    if isinstance(answer, dict):
        return {name: lasting(value) for name, value in answer.items() if name not in OF_ONE_READING}
    return [lasting(each) for each in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize("case", PAGES)
def test_a_stored_page_reads_as_a_fresh_one(serve_html: Open, read_html: Open, case: str) -> None:
    fresh, stored = serve_html(PAGES[case]), read_html(PAGES[case])
    assert [frame.to_dict("list") for frame in sb.tables(stored)] == [
        frame.to_dict("list") for frame in sb.tables(fresh)
    ]
    here, there = (page.url.rpartition("/")[0] for page in (fresh, stored))
    assert str(stored.snapshot()).replace(there, here) == str(fresh.snapshot())


def test_what_is_stored_is_what_a_browser_answers_today(stored_pages: StoredPages) -> None:
    files = sorted(stored_pages.bridge.folder.glob("*.json"))
    for file in files[:: max(1, len(files) // 8)]:
        page = json.loads(file.read_text("utf-8"))
        for key, answer in page["answers"].items():
            command, params = json.loads(key)
            today = io.sync(stored_pages.bridge.recorder.answer(page["path"], page["html"], command, params))
            assert lasting(today) == lasting(json.loads(answer)), page["html"]


def test_a_page_is_read_from_what_is_stored(stored_pages: StoredPages, read_html: Open) -> None:
    html = "<p>Read once</p>"
    first = read_html(html).text()
    recorder, stored_pages.bridge.recorder = stored_pages.bridge.recorder, None  # type: ignore[assignment]
    try:
        again = stored_pages.open("1.html", f"<!doctype html><html><title>Test</title><body>{html}")
        assert again.text() == first
    finally:
        stored_pages.bridge.recorder = recorder


def test_a_test_that_acts_fails(stored_pages: StoredPages) -> None:
    page = stored_pages.open("1.html", "<button>Buy</button>")
    with pytest.raises(NotStored, match="serve_html"):
        page.click("button 'Buy'")
    assert stored_pages.bridge.refused.pop() == "click"
    page.close()
