"""A write that says it queries, and an operation that resembles a habit, are asked about; a server counts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skillbook.session.sync import Browser
from skillbook.testing.openai_server import OpenAIServer
from skillbook.testing.site import Site
from tests.faults.attack.sends import KINDS, try_kind
from tests.faults.attack.site import serve_attack


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[OpenAIServer, Site]]:
    folder = tmp_path_factory.mktemp("sends")
    with OpenAIServer([]) as server, serve_attack() as site, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SKILLBOOK_HOME", str(folder / "home"))
        patch.setenv("SKILLBOOK_BASE_URL", server.base_url)
        patch.setenv("SKILLBOOK_MODEL", "scripted")
        patch.setenv("SKILLBOOK_MODEL_RETRIES", "0")
        yield server, site


@pytest.mark.parametrize("kind", KINDS)
def test_faults_48_and_49_a_request_in_disguise_is_asked_about(
    browser: Browser, rig: tuple[OpenAIServer, Site], kind: str
) -> None:
    tries = try_kind(browser, *rig, kind, most=4)  # `make attack` tries them all
    assert [each for each in tries if each.arrived or not each.asked] == []
