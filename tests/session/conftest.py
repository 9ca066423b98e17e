from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from skillbook.bridge import pending
from skillbook.bridge.server import BridgeServer
from skillbook.config import Settings
from skillbook.journal import Journal
from skillbook.policy import Policy, SecretStore
from skillbook.session.browser_driver import BrowserDriver
from skillbook.testing.fake_extension import FakeExtension
from tests.session.rig import EXTENSION, Rig


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for a browser that answers too late."""
    monkeypatch.setattr(pending, "PEER_SECONDS", 0.1)


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    settings = Settings(home=tmp_path, command_timeout=5)
    server = BridgeServer(settings, EXTENSION)
    await server.start()
    journal = Journal(tmp_path / "journal.sqlite", "s1")
    secrets = SecretStore({"SKILLBOOK_SECRET_PW": "hunter22"}, ask=lambda _: "")
    driver = BrowserDriver(server, settings, Policy(), journal, secrets)
    async with FakeExtension(server) as extension:
        yield Rig(driver, extension)
    await driver.close()
