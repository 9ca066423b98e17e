from __future__ import annotations

import pytest

from skillbook import cli
from skillbook.testing.openai_server import Fault, OpenAIServer
from skillbook.testing.scripted_model import ToolCall


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> object:
    def doctor(base_url: str) -> tuple[int, str]:
        monkeypatch.setenv("SKILLBOOK_BASE_URL", base_url)
        monkeypatch.setenv("SKILLBOOK_MODEL_RETRIES", "0")
        code = cli.main(["doctor", "--no-launch", "--model", "scripted"])
        return code, " ".join(capsys.readouterr().out.split())

    return doctor


def test_a_model_that_calls_a_tool_is_well(said: object) -> None:
    with OpenAIServer([ToolCall("press", {"target": "button 'Save'"})]) as server:
        code, text = said(server.base_url)  # type: ignore[operator]
    assert (code, "scripted called a tool" in text) == (0, True), text
    assert server.requests[0].tools == ["press"]


def test_a_model_without_tool_calls_is_named_as_such(said: object) -> None:
    with OpenAIServer(["I would press it."]) as server:
        code, text = said(server.base_url)  # type: ignore[operator]
    assert code == 1
    assert "didn't call the tool" in text
    assert "Choose a model that calls tools" in text


def test_a_wrong_key_is_named_as_such(said: object) -> None:
    with OpenAIServer(["never"]) as server:
        server.faults.append(Fault("status", 401))
        code, text = said(server.base_url)  # type: ignore[operator]
    assert code == 1
    assert "refused the key" in text
    assert "Check the API key" in text


def test_a_server_that_is_not_there_is_named_as_such(said: object) -> None:
    with OpenAIServer([]) as server:
        url = server.base_url
    code, text = said(url)  # type: ignore[operator]
    assert code == 1
    assert f"can't be reached at {url}" in text
