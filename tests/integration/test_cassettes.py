"""A run on an application, recorded once, replays in another kernel without the application, a model or a person."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import serve_app
from tests.integration.cassette_site import PASSWORD, SESSION, TOKEN, Orders

KERNEL = Path(__file__).with_name("cassette_kernel.py")
KEY = "sk-a-key-of-the-person"
GOAL = "Log in and list the orders of lamps."
STEPS = [
    ToolCall("fill", {"target": "textbox 'Name'", "value": "ann"}),
    ToolCall("fill", {"target": "textbox 'Password'", "value": "${secret:shop}"}),
    ToolCall("click", {"target": "button 'Log in'"}),
    ToolCall("wait_for", {"text": "3 orders"}),
    ToolCall("fill", {"target": "searchbox 'Search'", "value": "lamp"}),
    ToolCall("click", {"target": "button 'Search'"}),
    ToolCall("wait_for", {"text": "2 orders"}),
    ToolCall(
        "extract",
        {"fields": {"item": "heading", "amount": "text nth 2"}, "within": "listitem in list 'Orders'"},
    ),
    "Two orders.",
]
Kernel = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, dict[str, Any]]:
    """A folder with the cassette, the application's address, and what the recorded run made; both servers are gone."""
    folder = tmp_path_factory.mktemp("cassettes")
    with serve_app(Orders()) as site, OpenAIServer(STEPS) as model:
        environment = {
            "SKILLBOOK_BASE_URL": model.base_url,
            "SKILLBOOK_API_KEY": KEY,
            "SKILLBOOK_SECRET_SHOP": PASSWORD,
        }
        made = kernel(folder, environment, url=site.url, goal=GOAL, person=True)
        assert "GET /api/orders" in site.app.arrived or "POST /api/orders" in site.app.arrived
    return folder, site.url, made


def kernel(folder: Path, environment: dict[str, str], **given: Any) -> dict[str, Any]:
    """Run a kernel of its own and return what it said."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SKILLBOOK_SECRET", "OPENAI", "SKILLBOOK_BASE", "SKILLBOOK_API"))
    }
    done = subprocess.run(
        [sys.executable, str(KERNEL), json.dumps(given)],
        cwd=folder,
        env=inherited
        | {"SKILLBOOK_HOME": str(folder / "home"), "SKILLBOOK_MODEL": "openai:gpt-5-mini"}
        | environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def test_a_run_replays_without_application_model_key_or_person(recorded: Any) -> None:
    folder, url, made = recorded
    assert made["status"] == "succeeded", made
    assert [row["item"] for row in made["frame"]] == ["Lamp", "Lamp shade"]
    assert made["steps"][2][:2] == ["click", "approve"]
    again = kernel(folder, {}, url=url, goal=GOAL, mode="replay")
    assert again == made, again["error"]


def test_nothing_secret_is_in_its_files(recorded: Any) -> None:
    folder, _, _ = recorded
    files = [path for path in (folder / "cassettes").rglob("*") if path.is_file()]
    assert {path.name for path in files} > {"model.json", "decisions.json", "network.json"}
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        for secret in (PASSWORD, SESSION, TOKEN, KEY):
            assert secret not in text, f"{secret} in {path.name}"


def test_a_changed_prompt_says_what_changed(recorded: Any) -> None:
    folder, url, _ = recorded
    made = kernel(folder, {}, url=url, goal=GOAL.replace("lamps", "chairs"), mode="replay")
    assert made["status"] == "failed"
    assert "lamps" in made["error"]
    assert "chairs" in made["error"]
    assert made["steps"] == []


@pytest.mark.more
def test_a_request_that_is_not_there_is_blocked_and_reported(recorded: Any) -> None:
    folder, url, _ = recorded
    made = kernel(folder, {}, url=url, goal=GOAL, mode="replay", click="button 'Refresh rates'")
    assert made["stop"].startswith("cassette_mismatch")
    assert "/api/rates" in made["stop"]
