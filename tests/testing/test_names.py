"""What tests of users need comes from one place."""

from __future__ import annotations

import pytest

import skillbook.testing


@pytest.mark.parametrize("name", skillbook.testing.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(skillbook.testing, name).__name__ == name
    assert name in dir(skillbook.testing)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_such"):
        skillbook.testing.nothing_such  # noqa: B018
