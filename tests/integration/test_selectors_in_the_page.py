"""What a page answers to a selector is what the whole snapshot says, or nothing."""

from __future__ import annotations

import pytest

from tests.integration.engine_page import EnginePages
from tests.integration.selector_agreement import compare_documents


def _require_agreement(engine: EnginePages, seeds: range) -> None:
    found = compare_documents(engine, seeds)
    assert not found.wrong, f"{len(found.wrong)} wrong:\n" + "\n".join(found.wrong[:20])
    # Were everything left to the kernel, nothing wrong would ever be found.
    assert found.answered > found.left, (found.answered, found.left)


def test_random_documents(engine: EnginePages) -> None:
    _require_agreement(engine, range(1, 121))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_random_documents(engine: EnginePages) -> None:
    _require_agreement(engine, range(1_000, 6_000))
