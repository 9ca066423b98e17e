"""What people wrote each other, the same at every start."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

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
        said = ("Hey!", "What's up?", "Hey, how are you?")
        made.messages = [
            Message(each.number, name, each.at, text) for each, text in zip(made.messages, said, strict=True)
        ]
    if name == "Jane Smith":
        last = made.messages[-1]
        made.messages[-1] = Message(last.number, name, last.at, "See you tomorrow")
    return made
