"""What earlier versions wrote is read in the present form."""

from __future__ import annotations

from skillbook.skill.files.skill_folder import upgraded


def test_a_wait_of_an_earlier_file_for_a_quiet_page_is_one_for_a_page_at_rest() -> None:
    step = {"command": "wait_for", "params": {"quiet": True, "timeout": 3}}
    assert upgraded(step, 2)["params"] == {"idle": True, "timeout": 3}
    loop = upgraded({"command": "for_each", "steps": [step]}, 2)
    assert loop["steps"][0]["params"] == {"idle": True, "timeout": 3}
    assert upgraded(["no step"], 1) == ["no step"]
