"""What `sb.agent` is given is checked before a model is looked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

import skillbook as sb
from skillbook.agents.control.controller import NAME
from skillbook.agents.run.run_start import _choice
from skillbook.config import load_settings
from skillbook.errors import AgentError, InvalidInput, ModelNotConfigured

PAGE: Any = SimpleNamespace(driver=SimpleNamespace(snapshot=print, url="http://site.test/"))


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("SKILLBOOK_MODEL", "SKILLBOOK_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


class Answer(BaseModel):
    text: str


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"autonomy": "read"}, "read"),
        ({"max_steps": 0}, "max_steps=0"),
        ({"budget_tokens": -1}, "budget_tokens=-1"),
    ],
)
def test_arguments_come_before_the_model(given: dict[str, Any], said: str) -> None:
    with pytest.raises(AgentError, match=said):
        sb.agent(PAGE, "find it", "openai:gpt-5-mini", **given)


def test_a_page_comes_before_the_model() -> None:
    with pytest.raises(InvalidInput, match="`page` must be a page"):
        sb.agent("http://site.test/", "find it", "openai:gpt-5-mini")  # type: ignore[arg-type]


def test_false_is_never_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelNotConfigured, match="model=False"):
        sb.agent(PAGE, "find it", False, schema=Answer)
    monkeypatch.setenv("SKILLBOOK_MODEL", "openai:gpt-5-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert _choice(False, load_settings(), needed=False).name == NAME
    assert _choice(None, load_settings(), needed=False).name == "openai:gpt-5-mini"
