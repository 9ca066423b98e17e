"""The chat's addresses."""

from __future__ import annotations

import json
import re
from pathlib import Path

from skillbook.testing.sites.chat.conversations import Conversation, conversations
from skillbook.testing.sites.web import Request, Response, Templates, redirect

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
