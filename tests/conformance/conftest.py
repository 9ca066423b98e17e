"""One browser for the suite: both engines in it, and Chrome's own word beside them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conformance.measure import Results
from tests.conformance.observe import Lab, open_lab
from tests.conformance.sites import Server


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HOME", str(tmp_path_factory.mktemp("home")))
        with open_lab() as lab:
            yield lab


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("sites")) as server:
        yield server


@pytest.fixture(scope="session")
def results() -> Results:
    """What the tests of this session have seen."""
    return Results()
