"""An OpenAI-compatible server on loopback with scripted answers and faults, for the real client."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.utils import convert_to_messages

from skillbook.errors import SkillbookError
from skillbook.testing.scripted_model import Script, Step

_LARGEST_BODY = 20_000_000


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request instead of its answer; it uses up no answer of the script.

    kind: `status` answers with `status`; `drop` closes the connection without a word; `malformed` sends broken JSON;
        `slow` answers as scripted, but only after `seconds`.
    """

    kind: Literal["status", "drop", "malformed", "slow"]
    status: int = 500
    seconds: float = 0.0


@dataclass(frozen=True)
class RecordedRequest:
    """One request as it arrived: path, headers (names in lower case) and decoded body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def tools(self) -> list[str]:
        """Names of the tools that the client offered."""
        return [tool["function"]["name"] for tool in self.body.get("tools") or []]


class OpenAIServer:
    """Serve `/v1/chat/completions` (plain and streamed, with tool calls and usage) and `/v1/models`.

    Used as a context manager, or with `start()` and `stop()`. `base_url` is what a client needs.

    Parameters
    ----------
    steps: the answers, as for `ScriptedModel`; `finish_reason` in a message's `response_metadata` is sent as such.
    model: the model name to list and to answer with.
    port: TCP port on 127.0.0.1; 0 takes a free one.
    """

    def __init__(
        self,
        steps: Script | Sequence[Step] | Callable[[list[BaseMessage]], Step],
        *,
        model: str = "scripted",
        port: int = 0,
    ) -> None:
        self.script = steps if isinstance(steps, Script) else Script(steps)
        self.model = model
        self.requests: list[RecordedRequest] = []
        self.faults: deque[Fault] = deque()
        self._stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _handler_for(self))
        self._http.daemon_threads = True
        self._thread: threading.Thread | None = None

    def __repr__(self) -> str:
        return f"OpenAIServer({self.model!r}, {len(self.requests)} requests)"

    @property
    def base_url(self) -> str:
        """Base URL for an OpenAI client, ending in `/v1`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def start(self) -> OpenAIServer:
        """Serve from a daemon thread; returns the server."""
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop serving and free the port."""
        self._stopping.set()
        if self._thread is not None:
            self._http.shutdown()
            self._thread.join(timeout=5)
        self._http.server_close()

    def __enter__(self) -> OpenAIServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _handler_for(server: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        owner = server

    return Handler


class _Handler(BaseHTTPRequestHandler):
    owner: OpenAIServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent: requests are recorded on the server object."""

    def do_GET(self) -> None:
        if self.path.rstrip("/") == "/v1/models":
            entry = {"id": self.owner.model, "object": "model", "created": 0, "owned_by": "skillbook"}
            self._send(200, {"object": "list", "data": [entry]})
        else:
            self._refuse(404, f"Nothing is served at {self.path}.")

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if length > _LARGEST_BODY:
            self.close_connection = True
            return self._refuse(413, "The request is too large.")
        raw = self.rfile.read(length)
        if self.path.rstrip("/") != "/v1/chat/completions":
            return self._refuse(404, f"Nothing is served at {self.path}.")
        try:
            body = json.loads(raw)
            messages = convert_to_messages([_readable(message) for message in body["messages"]])
        except (ValueError, KeyError, TypeError, NotImplementedError) as error:
            return self._refuse(400, f"The request is not a chat completion: {error!r}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.owner.requests.append(RecordedRequest(self.path, headers, body))
        fault = self.owner.faults.popleft() if self.owner.faults else None
        if fault is not None and self._fail(fault):
            return None
        try:
            answer = self.owner.script.next(messages)
        except SkillbookError as error:
            return self._refuse(400, str(error))
        if body.get("stream"):
            return self._stream(answer, body)
        return self._send(200, _completion(answer, self.owner.model))

    def _fail(self, fault: Fault) -> bool:
        if fault.kind == "slow":
            self.owner._stopping.wait(fault.seconds)
            return False
        if fault.kind == "drop":
            self.close_connection = True
        elif fault.kind == "malformed":
            self._send_bytes(
                200, b'{"id": "chatcmpl-1", "choices": [{"message": {"role": ', "application/json"
            )
        else:
            self._refuse(fault.status, f"Injected fault: status {fault.status}.")
        return True

    def _refuse(self, status: int, message: str) -> None:
        self._send(status, {"error": {"message": message, "type": "invalid_request_error", "code": status}})

    def _send(self, status: int, body: dict[str, Any]) -> None:
        self._send_bytes(status, json.dumps(body).encode(), "application/json")

    def _send_bytes(self, status: int, body: bytes, kind: str) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:  # the client did not wait for a slow answer
            self.close_connection = True

    def _stream(self, answer: AIMessage, body: dict[str, Any]) -> None:
        wants_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in _chunks(answer, self.owner.model, wants_usage)]
        self._send_bytes(200, "".join([*lines, "data: [DONE]\n\n"]).encode(), "text/event-stream")


def _readable(message: dict[str, Any]) -> dict[str, Any]:
    """A message of the conversation; arguments that aren't JSON, which a model may have sent, are left out."""
    calls = []
    for call in message.get("tool_calls") or []:
        try:
            json.loads(call["function"]["arguments"])
        except ValueError:
            call = {**call, "function": {**call["function"], "arguments": "{}"}}
        calls.append(call)
    return {**message, "tool_calls": calls} if calls else message


def _calls(answer: AIMessage) -> list[dict[str, Any]]:
    sent = [(call["id"], call["name"], json.dumps(call["args"])) for call in answer.tool_calls]
    sent += [(call["id"], str(call["name"]), str(call["args"])) for call in answer.invalid_tool_calls]
    return [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in sent
    ]


def _usage(answer: AIMessage) -> dict[str, int]:
    usage = answer.usage_metadata
    read, written = (usage["input_tokens"], usage["output_tokens"]) if usage else (0, 0)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _finish(answer: AIMessage) -> str:
    calls = answer.tool_calls or answer.invalid_tool_calls
    return str(answer.response_metadata.get("finish_reason") or ("tool_calls" if calls else "stop"))


def _head(kind: str, model: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{uuid4().hex[:12]}", "object": kind, "created": int(time.time()), "model": model}


def _completion(answer: AIMessage, model: str) -> dict[str, Any]:
    calls = _calls(answer)
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if calls:
        message["tool_calls"] = calls
    if refusal := answer.additional_kwargs.get("refusal"):
        message["refusal"] = refusal
    choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
    return _head("chat.completion", model) | {"choices": [choice], "usage": _usage(answer)}


def _chunks(answer: AIMessage, model: str, wants_usage: bool) -> Iterator[dict[str, Any]]:
    head = _head("chat.completion.chunk", model)

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        return head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for start in range(0, len(answer.text), 8):
        yield chunk({"content": answer.text[start : start + 8]})
    calls = _calls(answer)
    for index, call in enumerate(calls):
        function = call["function"]
        named = {
            "id": call["id"],
            "type": "function",
            "function": {"name": function["name"], "arguments": ""},
        }
        yield chunk({"tool_calls": [{"index": index} | named]})
        arguments = function["arguments"]
        for piece in (arguments[: len(arguments) // 2], arguments[len(arguments) // 2 :]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _finish(answer))
    if wants_usage:
        yield head | {"choices": [], "usage": _usage(answer)}
