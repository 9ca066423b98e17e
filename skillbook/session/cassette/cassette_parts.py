"""The parts of a cassette: the pages' exchanges with the network, the model's conversation, the person's decisions."""

from __future__ import annotations

import base64
import difflib
import json
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from skillbook.errors import CassetteMismatch
from skillbook.policy.request_facts import NO_ANSWER
from skillbook.protocol.events import ExchangeRecorded, RequestWanted
from skillbook.session.cassette.cassette_files import Content, Scrubber, body_name

_VOLATILE = re.compile(r"\d{10,}|0\.\d{6,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}")
"""Times, random numbers and UUIDs, which pages put into addresses against caches."""
_MINOR = frozenset({"Ping", "Image", "Font", "Media", "CSPViolationReport", "Other", "Manifest", "TextTrack"})
_TEXT = re.compile(r"text/|json|javascript|xml|x-www-form-urlencoded")
Key = tuple[str, str, str]


@dataclass(frozen=True)
class Missed:
    """A request that the cassette has no answer for; it was blocked.

    `minor` ones, such as images and beacons, don't make a replay fail.
    """

    method: str
    url: str
    kind: str
    why: str

    @property
    def minor(self) -> bool:
        """Whether a page works without it."""
        return self.kind in _MINOR or self.url.endswith("/favicon.ico")

    def __str__(self) -> str:
        return f"{self.method} {self.url} ({self.kind}): {self.why}"


class RecordedNetwork:
    """Exchanges of pages with the network; on the I/O thread only.

    scrubber: takes secrets out of them.
    """

    def __init__(self, content: Content, scrubber: Scrubber) -> None:
        self.missed: list[Missed] = []
        self.unrecorded: list[Missed] = []
        self.finished = False
        self._content = content
        self._scrubber = scrubber
        self._known: dict[Key, list[dict[str, Any]]] = defaultdict(list)
        self._alike: dict[Key, list[dict[str, Any]]] = defaultdict(list)
        self._used: dict[Key, int] = defaultdict(int)
        for entry in content.network:
            key = self._key(entry["method"], entry["url"], entry.get("request"))
            self._known[key].append(entry)
            self._alike[_steady(key)].append(entry)

    def record(self, event: ExchangeRecorded) -> None:
        """Keep an exchange."""
        scrub = self._scrubber
        entry: dict[str, Any] = {
            "method": event.method,
            "url": scrub.url(event.url),
            "kind": event.resource_type,
        }
        if (body := scrub.request_body(event.content_type, event.body)) is not None and body:
            entry["request"] = body
        entry |= {"status": event.status}
        if headers := scrub.headers((header.name, header.value) for header in event.headers):
            entry["headers"] = [list(header) for header in headers]
        if event.note:
            entry["note"] = event.note
        if event.response:
            kind = dict(headers).get("content-type", "")
            raw = self._cleaned(base64.b64decode(event.response), kind)
            entry["body_file"] = body_name(raw, kind)
            self._content.bodies[entry["body_file"]] = raw
        elif event.note and event.status:
            # The network answered, but there is nothing to replay: whoever records has to know now, not later.
            self.unrecorded.append(Missed(event.method, entry["url"], event.resource_type, event.note))
        self._content.network.append(entry)

    def answer(self, event: RequestWanted) -> dict[str, Any]:
        """The answer to a request as `answer_request` takes it; status 0 blocks one that isn't here."""
        scrub = self._scrubber
        url = scrub.url(event.url)
        body = scrub.request_body(event.content_type, event.body) if event.body else None
        key = self._key(event.method, url, body)
        found = self._known.get(key) or self._alike_to(key)
        if not found:
            return self._miss(event, url, self._nearest(key))
        place, self._used[key] = self._used[key], self._used[key] + 1
        entry = found[min(place, len(found) - 1)]
        if entry["status"] == 0 or ("body_file" not in entry and entry.get("note")):
            return self._miss(event, url, f"recorded without an answer: {entry.get('note', '')}")
        raw = self._content.bodies.get(entry.get("body_file", ""), b"")
        return {
            "status": entry["status"],
            "headers": [{"name": name, "value": value} for name, value in entry.get("headers", [])],
            "body": base64.b64encode(raw).decode(),
        }

    def _miss(self, event: RequestWanted, url: str, why: str) -> dict[str, Any]:
        if not self.finished:
            self.missed.append(Missed(event.method, url, event.resource_type, why))
        return {"status": 0}

    def _key(self, method: str, url: str, body: str | None) -> Key:
        compared = self._scrubber.compared
        return method, compared(url), compared(body or "")

    def _alike_to(self, key: Key) -> list[dict[str, Any]]:
        """What differs in a time or a random number only, where all that it could be says the same."""
        found = self._alike.get(_steady(key), [])
        distinct = {(entry["status"], entry.get("body_file")) for entry in found}
        return found if len(distinct) == 1 else []

    def _nearest(self, key: Key) -> str:
        method, url, body = key
        path = url.partition("?")[0]
        for known_method, known_url, known_body in self._known:
            if known_url == url and known_method == method:
                return f"the cassette has it with another body: {_short(known_body)}, not {_short(body)}"
        for known_method, known_url, _ in self._known:
            if known_url.partition("?")[0] == path and known_method == method:
                return f"the cassette has {known_url}"
        return "the cassette has nothing like it"

    def _cleaned(self, raw: bytes, kind: str) -> bytes:
        if not _TEXT.search(kind):
            return raw
        charset = re.search(r"charset=[\"']?([\w-]+)", kind)
        encoding = charset[1] if charset else "utf-8"
        try:
            text = raw.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            encoding, text = "latin-1", raw.decode("latin-1")
        return self._scrubber.page_text(text).encode(encoding, errors="xmlcharrefreplace")


def _steady(key: Key) -> Key:
    method, url, body = key
    return method, _VOLATILE.sub("#", url), _VOLATILE.sub("#", body)


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")


_SHOWN_LINES = 12
_CONTEXT = 1
_UNANSWERED = re.compile(rf"^(\S+ \S+) {NO_ANSWER}$", re.MULTILINE)


class RecordedConversation:
    """Exchanges with models, in order; of each request what is new since the one before is kept.

    A request is `{"model": …, "messages": […], "options": {…}}`, an answer whatever the caller makes of it.
    """

    def __init__(self, entries: list[dict[str, Any]], scrubber: Scrubber) -> None:
        self._entries = entries
        self._scrubber = scrubber
        self._place = 0
        self._messages: list[Any] = []
        self._options: Any = None
        self._model = ""

    @property
    def left(self) -> int:
        """How many answers nobody has asked for yet."""
        return len(self._entries) - self._place

    @property
    def model(self) -> str:
        """The name of the model that answered first; empty where none did."""
        return str(self._entries[0].get("model", "")) if self._entries else ""

    def record(self, request: dict[str, Any], answer: dict[str, Any]) -> None:
        """Keep an exchange."""
        request = self._scrubber.data(request)
        messages = request["messages"]
        same = _same(self._messages, messages)
        entry: dict[str, Any] = {"kept_messages": same, "new_messages": messages[same:]}
        if request["model"] != self._model:
            entry = {"model": request["model"], **entry}
        if request["options"] != self._options:
            entry["options"] = request["options"]
        entry["answer"] = self._scrubber.data(answer)
        self._entries.append(entry)
        self._model, self._messages, self._options = request["model"], messages, request["options"]

    def replay(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to the next request.

        Raises CassetteMismatch: it isn't the request that was recorded; says what differs.
        """
        if self._place >= len(self._entries):
            raise CassetteMismatch(
                f"the model is queried once more than when the cassette was recorded ({len(self._entries)} times)",
                hint="record the cassette anew: mode='record'",
            )
        entry = self._entries[self._place]
        known = self._messages[: entry["kept_messages"]] + entry["new_messages"]
        options = entry.get("options", self._options)
        request = self._scrubber.data(request)
        self._compare("messages", known, request["messages"])
        self._compare("tools and settings", options, request["options"])
        self._place += 1
        self._messages, self._options = known, options
        answer: dict[str, Any] = entry["answer"]
        return answer

    def _compare(self, what: str, known: Any, given: Any) -> None:
        old, new = _without_timing(self._text(known), self._text(given))
        if old == new:
            return
        raise CassetteMismatch(
            f"request {self._place + 1} to the model isn't the one that was recorded; its {what} differ:\n"
            + short_diff(old, new),
            hint="undo the change, or record the cassette anew: mode='record'",
            request=self._place + 1,
        )

    def _text(self, data: Any) -> str:
        return self._scrubber.compared(readable(data))


def _without_timing(old: str, new: str) -> tuple[str, str]:
    """Both, without the answers of requests that were only later there in one of them: nobody asked for that moment."""
    early = {line[1] for text in (old, new) for line in _UNANSWERED.finditer(text)}
    if not early:
        return old, new
    ending = re.compile(rf"^({'|'.join(map(re.escape, early))}) (?:\d{{3}}|{NO_ANSWER})$", re.MULTILINE)
    return ending.sub(r"\1 …", old), ending.sub(r"\1 …", new)


def _same(old: list[Any], new: list[Any]) -> int:
    for place, (left, right) in enumerate(zip(old, new, strict=False)):
        if left != right:
            return place
    return min(len(old), len(new))


def readable(data: Any) -> str:
    """Data as JSON whose texts have real line breaks, for a diff."""
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True).replace("\\n", "\n")


def short_diff(old: str, new: str) -> str:
    """The first lines that differ, `-` recorded and `+` now."""
    lines = list(difflib.unified_diff(old.split("\n"), new.split("\n"), "recorded", "now", "", "", _CONTEXT))
    shown = [line if len(line) <= 200 else line[:199] + "…" for line in lines[2 : 2 + _SHOWN_LINES]]
    more = len(lines) - 2 - len(shown)
    return "\n".join([*shown, f"… and {more} more lines"] if more > 0 else shown)


class RecordedDecisions:
    """Decisions in order, each with the call that it was about."""

    def __init__(self, entries: list[dict[str, Any]], scrubber: Scrubber) -> None:
        self._entries = entries
        self._scrubber = scrubber
        self._place = 0

    @property
    def left(self) -> int:
        """How many decisions of the panel nobody has asked for yet."""
        return sum("decision" in entry for entry in self._entries[self._place :])

    def record(self, call: dict[str, Any], decision: dict[str, Any] | None) -> None:
        """Keep a decision; None for one that code gave."""
        entry = {"call": call} if decision is None else {"call": call, "decision": decision}
        self._entries.append(self._scrubber.data(entry))

    def replay(self, call: dict[str, Any]) -> dict[str, Any] | None:
        """The person's decision on the next call; None where code gave it, or nobody had.

        Raises CassetteMismatch: another call waits than when it was recorded.
        """
        if self._place >= len(self._entries):
            return None
        entry = self._entries[self._place]
        known, now = (
            self._scrubber.compared(readable(each)) for each in (entry["call"], self._scrubber.data(call))
        )
        if known != now:
            raise CassetteMismatch(
                f"decision {self._place + 1} was about another call than the one that waits:\n{short_diff(known, now)}",
                hint="record the cassette anew: mode='record'",
            )
        self._place += 1
        decision: dict[str, Any] | None = entry.get("decision")
        return decision
