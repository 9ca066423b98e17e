from __future__ import annotations

from skillbook.skill.model.spec_steps import SkillStep


def test_a_wait_of_an_earlier_file_for_a_quiet_page_is_one_for_a_page_at_rest() -> None:
    step = SkillStep.model_validate({"command": "wait_for", "params": {"quiet": True, "timeout": 3}})
    assert step.params == {"idle": True, "timeout": 3}
