"""A skill takes the changes that a run proposes, and says so if a run proposed none."""

from __future__ import annotations

from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import InvalidInput

ROOT = Path(__file__).parents[3]


def test_a_run_that_healed_nothing_has_nothing_to_apply() -> None:
    skill = sb.load_skill(ROOT / "skills" / "search-products")
    assert isinstance(skill, sb.Skill)
    with pytest.raises(InvalidInput, match="the run healed nothing"):
        skill.apply(None)
