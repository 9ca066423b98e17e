from __future__ import annotations

import time

import httpx
import openai
import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessageChunk
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from skillbook.testing.openai_server import Fault, OpenAIServer
from skillbook.testing.scripted_model import ToolCall


@tool
def count(word: str) -> int:
    """Count letters."""
    return len(word)


def client(server: OpenAIServer, **settings: object) -> ChatOpenAI:
    options = {"max_retries": 0, "timeout": 10} | settings
    return ChatOpenAI(model="scripted", base_url=server.base_url, api_key="any", **options)  # type: ignore[arg-type]


def test_plain_answer_with_usage_and_a_recorded_request() -> None:
    with OpenAIServer(["hello there"]) as server:
        answer = client(server).invoke("hi")
    assert answer.text == "hello there"
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["total_tokens"] > 0
    request = server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.body["messages"] == [{"role": "user", "content": "hi"}]
    assert request.headers["authorization"] == "Bearer any"


async def test_agent_with_tool_calls_through_the_real_client() -> None:
    script = [ToolCall("count", {"word": "seven"}), lambda messages: f"it is {messages[-1].text}"]
    with OpenAIServer(script) as server:
        state = await create_agent(client(server), [count]).ainvoke({"messages": [("user", "how long?")]})
    assert state["messages"][-1].text == "it is 5"
    assert server.requests[0].tools == ["count"]
    assert [message["role"] for message in server.requests[1].body["messages"]] == [
        "user",
        "assistant",
        "tool",
    ]


def test_streaming_text_and_calls() -> None:
    with OpenAIServer(["a text of several words", ToolCall("count", {"word": "é 'x'"})]) as server:
        model = client(server, stream_usage=True)
        texts = [str(chunk.text) for chunk in model.stream("hi")]
        whole: AIMessageChunk | None = None
        for chunk in model.bind_tools([count]).stream("hi"):
            assert isinstance(chunk, AIMessageChunk)
            whole = chunk if whole is None else whole + chunk  # type: ignore[assignment]
    assert "".join(texts) == "a text of several words"
    assert len([text for text in texts if text]) > 1
    assert whole is not None
    assert whole.tool_calls[0]["args"] == {"word": "é 'x'"}
    assert whole.usage_metadata is not None


def test_models_are_listed_and_other_paths_refused() -> None:
    with OpenAIServer([], model="tiny") as server:
        assert openai.OpenAI(base_url=server.base_url, api_key="any").models.list().data[0].id == "tiny"
        assert httpx.get(server.base_url + "/nothing").status_code == 404
        assert httpx.post(server.base_url + "/chat/completions", content=b"{").status_code == 400
    assert server.requests == []


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault("status", 429), openai.RateLimitError),
        (Fault("status", 500), openai.InternalServerError),
        (Fault("status", 401), openai.AuthenticationError),
        (Fault("drop"), openai.APIConnectionError),
        (Fault("malformed"), Exception),
    ],
)
def test_faults_reach_the_client_once_and_cost_no_answer(fault: Fault, error: type[Exception]) -> None:
    with OpenAIServer(["fine"]) as server:
        server.faults.append(fault)
        with pytest.raises(error):
            client(server).invoke("hi")
        assert client(server).invoke("hi").text == "fine"
    assert len(server.requests) == 2


def test_the_client_retries_over_a_fault() -> None:
    with OpenAIServer(["fine"]) as server:
        server.faults.append(Fault("status", 500))
        assert client(server, max_retries=2).invoke("hi").text == "fine"
    assert len(server.requests) == 2


def test_a_slow_answer_times_out_and_stop_does_not_wait_for_it() -> None:
    server = OpenAIServer(["late"]).start()
    server.faults.append(Fault("slow", seconds=60))
    with pytest.raises(openai.APITimeoutError):
        client(server, timeout=0.3).invoke("hi")
    begin = time.monotonic()
    server.stop()
    assert time.monotonic() - begin < 5


def test_an_ended_script_is_a_clear_refusal() -> None:
    with OpenAIServer([]) as server, pytest.raises(openai.BadRequestError, match="no answer left"):
        client(server).invoke("hi")


def test_broken_arguments_arrive_as_an_invalid_call() -> None:
    with OpenAIServer([ToolCall("count", '{"word": ')]) as server:
        answer = client(server).bind_tools([count]).invoke("hi")
    assert answer.tool_calls == []
    assert answer.invalid_tool_calls[0]["name"] == "count"
