"""A chat: virtualised chats, messages that load upwards, a composer in a shadow root, a login by code."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from skillbook.testing.sites.web import Request, Response, Templates, redirect

LAST = datetime(2026, 3, 2, 9, 41)
"""When the newest message was written."""
_NAMES = (
    *(
        "John Doe",
        "Jane Smith",
        "José Álvarez",
        "Ольга Петрова",
        "山田 太郎",
        "محمد علي",
        "नेहा शर्मा",
        "Anna Berg",
    ),
    *("Anna Bergmann", "Ἀθηνᾶ Νίκου", "김민준", "Family 👨‍👩‍👧", "Zoë O'Neil", "שרה לוי", "Nadia Okafor"),
)
_FIRST = (
    "Ada",
    "Ben",
    "Cleo",
    "Dov",
    "Eva",
    "Finn",
    "Gita",
    "Hana",
    "Ivo",
    "Juno",
    "Kai",
    "Lena",
    "Milo",
    "Nora",
)
_FAMILY = ("Adler", "Brandt", "Castro", "Dahl", "Eriks", "Farah", "Gomez", "Holt", "Ivanov")
_LINES = (
    *("Are you there?", "Yes, just arrived.", "Could you send me the list?", "Here it is.", "Thanks!"),
    *("See you tomorrow", "The train is late again.", "No problem, I'll wait at the café.", "🙂"),
    *(
        "What about Thursday at 10:30?",
        "Works for me.",
        "I have moved the meeting.",
        "Great news about the flat!",
    ),
)
_ATTACHED = {7: "list.pdf", 12: "flat-1.jpg"}
"""Every twentieth message at these places has a file."""
CHATS = 120
LONG = "Nadia Okafor"
"""Has more messages than any page shows."""


@dataclass(frozen=True)
class Message:
    """One message; `by` is empty for the visitor's own."""

    number: int
    by: str
    at: datetime
    text: str
    file: str = ""

    @property
    def as_json(self) -> dict[str, object]:
        """As the page reads it."""
        return {
            "number": self.number,
            "by": self.by,
            "at": self.at.isoformat(timespec="minutes"),
            "text": self.text,
            "file": self.file,
        }


@dataclass
class Conversation:
    """The messages with one person, the oldest first."""

    number: int
    name: str
    messages: list[Message] = field(default_factory=list)
    unread: int = 0

    def add(self, text: str) -> Message:
        """Add a message of the visitor's."""
        last = self.messages[-1]
        made = Message(last.number + 1, "", last.at + timedelta(minutes=1), text)
        self.messages.append(made)
        return made

    @property
    def as_json(self) -> dict[str, object]:
        """As the list of chats shows it."""
        last = self.messages[-1]
        return {
            "number": self.number,
            "name": self.name,
            "last": last.text or last.file,
            "at": last.at.isoformat(timespec="minutes"),
            "unread": self.unread,
        }


def conversations() -> list[Conversation]:
    """All of them, the newest first."""
    more = [f"{first} {family}" for family in _FAMILY for first in _FIRST]
    names = [*_NAMES, *more][:CHATS]
    return [_conversation(number, name) for number, name in enumerate(names, 1)]


def _conversation(number: int, name: str) -> Conversation:
    newest = LAST - timedelta(minutes=37 * (number - 1))
    count = 95 if name == LONG else 3 if name == "John Doe" else 2 + number * 7 % 40
    made = Conversation(number, name, unread=(0, 2, 0, 1, 0, 12)[number % 6])
    for place in range(count):
        at = newest - timedelta(minutes=11 * (count - 1 - place))
        by = name if (place + number) % 3 else ""
        text = _LINES[(place * 5 + number) % len(_LINES)]
        made.messages.append(Message(place + 1, by, at, text, _ATTACHED.get(place % 20, "")))
    if name == "John Doe":
        texts = ("Hey!", "What's up?", "Hey, how are you?")
        made.messages = [
            Message(each.number, name, each.at, text) for each, text in zip(made.messages, texts, strict=True)
        ]
    if name == "Jane Smith":
        last = made.messages[-1]
        made.messages[-1] = Message(last.number, name, last.at, "See you tomorrow")
    return made


PHONE = "+49 170 555 0123"
CODE = "482913"
MOST = 30
"""Messages of one answer."""
_HERE = Path(__file__).parent
_KINDS = {"css": "text/css", "js": "text/javascript"}


class Chat:
    """The site; what visitors wrote is in `sent`.

    Attributes
    ----------
    sent : name and text of each message that a visitor wrote, in order.
    """

    def __init__(self) -> None:
        self.chats = conversations()
        self.sent: list[tuple[str, str]] = []
        self._templates = Templates(_HERE / "templates")

    def respond(self, request: Request) -> Response:
        """Answer one request."""
        if match := re.fullmatch(r"/static/(chat\.(css|js))", request.path):
            return Response((_HERE / "static" / match[1]).read_text(encoding="utf-8"), kind=_KINDS[match[2]])
        if request.path == "/login":
            return self._login(request)
        if request.cookies.get("phone") != "linked":
            return redirect("/login")
        if request.path == "/":
            layout = "reverse" if request.query.get("layout") == "reverse" else "plain"
            return Response(self._templates.fill("app", layout=layout))
        if request.path == "/api/chats":
            return _json([each.as_json for each in self.chats])
        if match := re.fullmatch(r"/api/chats/(\d+)/messages", request.path):
            found = next((each for each in self.chats if each.number == int(match[1])), None)
            if found is not None:
                return self._send(found, request) if request.method == "POST" else _messages(found, request)
        if match := re.fullmatch(r"/files/([a-z0-9-]+\.(?:pdf|jpg))", request.path):
            headers = {"Content-Disposition": f'attachment; filename="{match[1]}"'}
            return Response(f"{match[1]}\n".encode(), kind="application/octet-stream", headers=headers)
        return Response("There is no such page", status=404)

    def _login(self, request: Request) -> Response:
        if request.method != "POST":
            return Response(self._templates.fill("login", error=""))
        phone, code = request.form.get("phone", ""), request.form.get("code")
        if code is None:
            return Response(self._templates.fill("code", phone=phone, error=""))
        if (re.sub(r"\D", "", phone), re.sub(r"\D", "", code)) == (re.sub(r"\D", "", PHONE), CODE):
            return redirect("/", phone="linked")
        wrong = "That code is wrong."
        return Response(self._templates.fill("code", phone=phone, error=wrong), status=401)

    def _send(self, chat: Conversation, request: Request) -> Response:
        text = request.form.get("text", "").strip()
        if not text:
            return _json({"error": "an empty message"}, status=400)
        self.sent.append((chat.name, text))
        return _json(chat.add(text).as_json)


def _messages(chat: Conversation, request: Request) -> Response:
    """The newest messages before a number; opening a chat marks it as read."""
    before = int(request.query.get("before", "0")) or chat.messages[-1].number + 1
    chat.unread = 0
    older = [each for each in chat.messages if each.number < before]
    shown = older[-MOST:]
    return _json({"messages": [each.as_json for each in shown], "older": len(older) - len(shown)})


def _json(data: object, status: int = 200) -> Response:
    return Response(json.dumps(data, ensure_ascii=False), status=status, kind="application/json")
