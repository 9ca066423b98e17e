"""`skillbook serve`: it starts at once, its browser finds it again, and runs that waited wait again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.errors import ConfigError, PortInUse, ServeRunning
from skillbook.io_thread import io
from skillbook.launcher.process import ChromiumProcess, launch_chromium
from skillbook.serving.asking import take_ask
from skillbook.serving.service import Service
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.scripted_model import Script, ToolCall, ref_of
from skillbook.testing.site import Site, serve_site
from tests.waiting import until

PATIENCE = 60.0


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site("shop") as site:
        yield site


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "home"))
    for name in ("SKILLBOOK_MODEL", "SKILLBOOK_BASE_URL", "SKILLBOOK_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with OpenAIServer([]) as server:
        monkeypatch.setenv("SKILLBOOK_BASE_URL", server.base_url)
        yield server


def users_browser(service: Service) -> ChromiumProcess:
    """A browser that was paired with a service, and doesn't end with it."""
    server = service.browser.driver.server
    return launch_chromium(
        port=server.port, token=server.token, kernel_id=server.kernel.id, kernel_name=server.kernel.name
    )


def ask(service: Service, name: str, /, **params: Any) -> Any:
    return io.sync(take_ask(service.browser.driver, name, params), timeout=PATIENCE)


def fill(messages: list[Any]) -> ToolCall:
    return ToolCall("fill", {"target": ref_of(messages, "searchbox 'Search products'"), "value": "lamp"})


def test_a_paired_browser_comes_back_and_a_run_that_waited_waits_again(
    model: OpenAIServer, shop: Site
) -> None:
    model.script = Script([fill, "Typed."])
    service = sb.serve(model="scripted", wait=False)
    chromium = users_browser(service)
    try:
        until(lambda: service.connected)
        page = service.browser.open(shop.url)
        run = ask(service, "run_goal", tab=page.driver.tab.id, goal="Find a lamp")["run"]
        question = until(lambda: ask(service, "show_run", run=run)["question"])
        tab, port, token = page.driver.tab.id, service.port, service.browser.driver.server.token
        service.close()
        service.close()
        assert service.closed

        service = sb.serve(model="scripted", wait=False)
        assert (service.port, service.browser.driver.server.token) == (port, token)
        until(lambda: service.connected)
        until(lambda: tab in service.browser.driver.pages)
        again = until(
            lambda: (
                (found := ask(service, "show_run", run=run)["question"])
                and found["kind"] == "approve"
                and found
            )
        )
        assert again["words"] == question["words"]
        [listed] = ask(service, "list_runs")["runs"]
        assert (listed["id"], listed["state"], listed["words"]) == (run, "awaiting_user", "waits for you")
        assert ask(service, "decide", run=run, question=again["id"], decision="approve")["taken"]
        view = until(lambda: (one := ask(service, "show_run", run=run))["state"] == "succeeded" and one)
        assert view["result"] == "Typed."
        assert service.browser.driver.pages[tab].url.startswith(shop.url)
        service.close()

        service = sb.serve(model="scripted", wait=False)
        [kept] = ask(service, "list_runs")["runs"]
        assert (kept["id"], kept["state"], kept["live"]) == (run, "succeeded", False)
        assert ask(service, "show_run", run=run)["outputs"][0]["text"] == "Typed."
    finally:
        service.close()
        chromium.terminate()


def test_it_launches_a_browser_that_is_paired_and_runs_a_workflow_of_a_file(
    shop: Site, tmp_path: Path
) -> None:
    (tmp_path / "flows.py").write_text(
        'import skillbook as sb\n\n\n@sb.workflow("titles")\ndef titles(page, *, most: int = 3):\n'
        '    """Read the page\'s title."""\n    return {"title": page.title}\n'
    )
    (tmp_path / "mine").mkdir()
    with sb.serve(skills="mine", workflows="flows.py", launch=True, headless=True, wait=False) as service:
        assert service.connected
        page = service.browser.open(shop.url)
        about = ask(service, "about")
        assert (about["model"], about["notebook"], about["workflows"] >= 2) == (None, False, True)
        assert any(card["builtin"] for card in ask(service, "list_skills", tab=page.driver.tab.id)["skills"])
        run = ask(service, "run_workflow", tab=page.driver.tab.id, name="titles")["run"]
        view = until(lambda: (one := ask(service, "show_run", run=run))["state"] == "succeeded" and one)
        assert "Oak & Lumen" in view["outputs"][0]["facts"]["title"]
        process = service.browser.driver.process
        assert process is not None
        process.terminate()
        said: list[str] = []
        service.wait(said.append)
        assert said[-1] == "The browser was closed."


def test_a_second_one_and_a_file_that_others_can_read_are_refused(tmp_path: Path) -> None:
    with sb.serve(wait=False) as service:
        with pytest.raises(ServeRunning, match=f"process {os.getpid()}, port {service.port}"):
            sb.serve(wait=False)
        file = tmp_path / "home" / "serve.json"
        assert file.stat().st_mode & 0o777 == 0o600
        assert service.browser.driver.server.token not in repr(service)
        port = service.port
    with sb.serve(wait=False, port=0) as other, pytest.raises(PortInUse):
        _second_home(tmp_path, other.port)
    assert port
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="others can read"):
        sb.serve(wait=False)


def _second_home(tmp_path: Path, port: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(tmp_path / "another"))
        sb.serve(wait=False, port=port)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_command_opens_and_prints_a_link_and_ends_cleanly(how: signal.Signals, tmp_path: Path) -> None:
    opener, opened = tmp_path / "opener", tmp_path / "opened"
    opener.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    opener.chmod(0o755)
    command = [sys.executable, "-m", "skillbook.cli", "serve", "--name", "desk", "--open"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "BROWSER": f"{opener} %s"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        said = ""
        while "Ctrl-C ends it" not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        assert "/skillbook/pair?code=" in said
        assert "desk serves at port" in said
        until(lambda: opened.exists() and opened.read_text().strip() in said.split())
        process.send_signal(how)
        rest, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert "Traceback" not in rest
    finally:
        process.kill()
        process.wait()
