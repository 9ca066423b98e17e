"""What a replay read is compared with what the recording read: columns, rows, values and facts."""

from __future__ import annotations

import pandas as pd
import pytest

from skillbook.skill.model.spec_steps import EXTRACT
from skillbook.skill.proof.skill_proof import RecordedResults, frames_differ
from skillbook.skill.recording.recorded_steps import RecordedStep
from skillbook.skill.replay.skill_result import SkillResult

THEN = pd.DataFrame({"Name": ["Ann", "Bob"], "Age": [41, None]})


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (THEN.copy(), ""),
        (THEN.head(1), "it read 1 rows, and 2 when it was recorded"),
        (THEN.rename(columns={"Age": "Years"}), "it read the columns Name, Years, and Name, Age"),
        (THEN.assign(Name=["Ann", "Eve"]), "Name in row 2 is 'Eve', and was 'Bob'"),
        (THEN.assign(Age=[41, 7]), "Age in row 2 is 7, and was nan"),
    ],
)
def test_frames_differ_in_columns_rows_and_values(now: pd.DataFrame, why: str) -> None:
    said = frames_differ(now, THEN)
    assert said.startswith(why)
    assert bool(said) is bool(why)


def test_a_sessions_id_in_an_address_is_no_other_value() -> None:
    def links(query: str) -> pd.DataFrame:
        return pd.DataFrame({"link": [f"https://a.test/p/1?{query}"]})

    assert frames_differ(links("sid=83ab37f7"), links("sid=90cd11e2")) == ""
    assert frames_differ(links("id=6"), links("id=5")) != ""


def read(frame: pd.DataFrame | None = None, **params: object) -> RecordedStep:
    return RecordedStep(EXTRACT, dict(params), frame=frame)


def test_rows_that_are_added_are_one_frame_as_in_a_replay() -> None:
    recorded = RecordedResults.of([read(THEN), read(THEN, append=True)])
    whole = pd.concat([THEN, THEN], ignore_index=True)
    assert recorded.difference(SkillResult("x", frames=[whole])) == ""
    assert "it read 1 tables, and 2" in RecordedResults.of([read(THEN), read(THEN)]).difference(
        SkillResult("x", frames=[whole])
    )
    assert RecordedResults.of([read()]).difference(SkillResult("x", frames=[THEN])) == "", "nobody knows them"


def test_facts_are_compared_as_they_are_typed() -> None:
    recorded = RecordedResults.of([RecordedStep("get", {"what": "text"}, output="stock", read=" 12 ")])
    assert recorded.difference(SkillResult("x", values={"stock": 12})) == ""
    assert "stock is 7, and was 12" in recorded.difference(SkillResult("x", values={"stock": 7}))
