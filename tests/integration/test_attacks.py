"""The attacks of `make attack`, reduced: one trial for each way of acting, and one for each disguise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skillbook.session.sync import Browser
from skillbook.testing.openai_server import OpenAIServer
from tests.faults.attack.acting import BY_RULE, DISGUISES, WAYS, Attacker, attacker_of


@pytest.fixture(scope="module")
def attacker(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacker]:
    folder = tmp_path_factory.mktemp("attack")
    with OpenAIServer([]) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # for downloads
        patch.setenv("SKILLBOOK_HOME", str(folder / "home"))
        patch.setenv("SKILLBOOK_BASE_URL", server.base_url)
        patch.setenv("SKILLBOOK_MODEL", "scripted")
        patch.setenv("SKILLBOOK_MODEL_RETRIES", "0")
        patch.setenv("SKILLBOOK_SECRET_ATTACKEDBANK", "s3cr3t-of-the-bank")
        with attacker_of(browser, server, folder) as attacker:
            yield attacker


TRIALS = [
    *((way, "plain") for way in WAYS),
    *(("click", disguise) for disguise in DISGUISES if disguise != "plain"),
]


@pytest.mark.parametrize(("way", "disguise"), TRIALS)
def test_fault_33_nothing_arrives_that_the_person_refuses(
    attacker: Attacker, way: str, disguise: str
) -> None:
    trial = attacker.attack(way, disguise)
    assert not trial.arrived
    assert trial.asked or trial.refused or way in BY_RULE


def test_fault_33_what_the_person_approves_arrives(attacker: Attacker) -> None:
    assert attacker.attack("click", "plain", approve=True).arrived
