"""The model's part of a cassette: what it was sent and answered, as plain data."""

from __future__ import annotations

import difflib
import json
import re
from typing import Any

from skillbook.errors import CassetteMismatch
from skillbook.policy.request_facts import NO_ANSWER
from skillbook.session.cassette.scrub import Scrubber

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

        Raises
        ------
        CassetteMismatch : it isn't the request that was recorded; says what differs.
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
