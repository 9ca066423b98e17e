from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from skillbook.agents.models.choice import as_model_error, choose_model
from skillbook.agents.models.pricing import Cost, FixedPrice, price_of
from skillbook.config import Settings, load_settings
from skillbook.errors import ModelNotConfigured, ModelUnreachable, ScriptMismatch
from skillbook.testing.openai_server import Fault, OpenAIServer
from skillbook.testing.scripted_model import ScriptedModel


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "SKILLBOOK_API_KEY", "SKILLBOOK_MODEL", "SKILLBOOK_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def settings(**values: Any) -> Settings:
    return Settings(_env_file=None, **values)


def test_no_model_says_what_to_set() -> None:
    with pytest.raises(ModelNotConfigured, match="SKILLBOOK_MODEL") as caught:
        choose_model(None, settings())
    assert "OPENAI_API_KEY" in caught.value.hint


def test_openai_without_key_says_which_key() -> None:
    with pytest.raises(ModelNotConfigured, match="OPENAI_API_KEY"):
        choose_model("openai:gpt-5-mini", settings())


@pytest.mark.parametrize("name", ["nowhere:big-model", "what-is-this"])
def test_unknown_models_are_refused(name: str) -> None:
    with pytest.raises(ModelNotConfigured, match=name):
        choose_model(name, settings())


def test_a_missing_provider_package_is_named() -> None:
    with pytest.raises(ModelNotConfigured) as caught:
        choose_model("mistralai:mistral-large", settings())
    assert "mistral" in caught.value.message


def test_a_chat_model_is_taken_as_it_is() -> None:
    model = ScriptedModel([])
    choice = choose_model(model, settings())
    assert (choice.model, choice.name, choice.price) == (model, "scripted", FixedPrice(0, 0))


def test_base_url_reaches_the_server_without_a_key() -> None:
    with OpenAIServer(["hello"]) as server:
        choice = choose_model("tiny", settings(base_url=server.base_url))
        assert choice.model.invoke("hi").text == "hello"
    assert server.requests[0].body["model"] == "tiny"
    assert choice.price is None


def test_the_environment_configures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("SKILLBOOK_MODEL", "openai:gpt-5-mini")
    choice = choose_model(None, load_settings())
    assert isinstance(choice.model, ChatOpenAI)
    assert (choice.model.model_name, choice.name) == ("gpt-5-mini", "openai:gpt-5-mini")
    assert choice.model.openai_api_key == SecretStr("sk-test")
    assert "sk-test" not in repr(load_settings())


def test_a_dotenv_file_configures(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SKILLBOOK_MODEL=openai:gpt-5\nOPENAI_API_KEY=sk-file\n")
    found = load_settings()
    assert found.model == "openai:gpt-5"
    assert found.api_key == SecretStr("sk-file")


def test_failures_become_one_error_with_a_hint() -> None:
    with OpenAIServer(["x"]) as server:
        model = choose_model("tiny", settings(base_url=server.base_url, model_retries=0)).model
        for status, word in ((401, "key"), (404, "name"), (429, "quota")):
            server.faults.append(Fault("status", status))
            with pytest.raises(Exception) as caught:
                model.invoke("hi")
            error = as_model_error(caught.value, "tiny")
            assert isinstance(error, ModelUnreachable)
            assert word in error.hint
    mismatch = ScriptMismatch("no answer")
    assert as_model_error(mismatch, "tiny") is mismatch


@pytest.mark.parametrize(
    ("name", "input_price"),
    [
        ("openai:gpt-4o-mini", 0.15),
        ("gpt-4o-2024-11-20", 2.5),
        ("anthropic:claude-sonnet-4-5-20250929", 3),
        ("openrouter/openai/gpt-5-nano", 0.05),
        ("gpt-4o-latest", 2.5),
        ("google_genai:gemini-2.5-flash", 0.3),
        ("openrouter:openai/gpt-5-nano", 0.05),
    ],
)
def test_prices_by_name(name: str, input_price: float) -> None:
    price = price_of(name, settings())
    assert price is not None
    assert price.of(1000, 0) * 1000 == pytest.approx(input_price)


def test_a_price_may_rise_with_the_length_of_a_request() -> None:
    price = price_of("anthropic:claude-sonnet-4-5", settings())
    assert price is not None
    assert price.of(400_000, 0) == pytest.approx(4 * price.of(200_000, 0))


@pytest.mark.parametrize("name", ["gpt-4o-audio", "my-model", "gpt-99", "ollama:gpt-4o", "qwen2.5:7b"])
def test_unknown_prices_are_none_unless_set(name: str) -> None:
    assert price_of(name, settings()) is None
    assert price_of(name, settings(price_input=2.0)) == FixedPrice(2.0, 0.0)


def test_cost_adds_up() -> None:
    cost = Cost().plus(1_000_000, 500_000, FixedPrice(2, 8)).plus(1000, 0, FixedPrice(2, 8))
    assert (cost.calls, cost.tokens, cost.usd) == (2, 1_501_000, pytest.approx(6.002))
    assert cost.plus(1, 1, None).usd is None
    assert "price unknown" in str(cost.plus(1, 1, None))


def test_a_model_without_tools_is_named_as_the_cause() -> None:
    error = as_model_error(ValueError("registry/tiny does not support tools (status code: 400)"), "tiny")
    assert "doesn't call tools" in error.hint
