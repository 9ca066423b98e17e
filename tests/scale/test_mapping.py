"""What `skill.map` gives, as a table."""

from __future__ import annotations

import pickle

import pandas as pd
import pytest
from distributed import Client, LocalCluster

from skillbook.errors import RunInterrupted
from skillbook.scale.mapping import _frame, _inputs_alone, map_skill
from skillbook.scale.row_store import RowResult
from skillbook.skill.facade import Skill
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import SkillStep


def test_a_printed_map_has_no_bytes_in_it() -> None:
    table = pd.DataFrame({"name": ["Ann", "Bob"]})
    out = _frame(table, [RowResult("ok"), RowResult("failed", screenshot=b"\xff\xd8" * 500)])
    assert "xff" not in f"{out}{out.to_html()}{out.to_csv()}"
    assert "<JPEG, 1,000 bytes>" in str(out.iloc[1])
    assert out["screenshot"][1] == b"\xff\xd8" * 500
    assert pickle.loads(pickle.dumps(out))["screenshot"][1][:2] == b"\xff\xd8"


_SPEC = SkillSpec(
    name="sheets",
    description="x",
    inputs=[
        SkillInput(name="species", type="str", default="Usnea"),
        SkillInput(name="year", type="int", default=1),
    ],
    steps=[SkillStep(command="wait_for", params={"text": "${input:species} ${input:year}"})],
)


@pytest.mark.parametrize(
    ("columns", "left"),
    [
        (("species", "year", "note"), ("species", "year")),
        (("species", "note"), ("species",)),
        (("species", "Years"), ("species", "Years")),
        (("specie", "year"), ("specie", "year")),
        (("note", "plant"), ("note", "plant")),
        ((), ()),
    ],
)
def test_columns_that_are_no_inputs_go_along_unless_one_may_be_misspelt(
    columns: tuple[str, ...], left: tuple[str, ...]
) -> None:
    rows = [dict.fromkeys(columns, "1")]
    assert _inputs_alone(_SPEC, rows) == [dict.fromkeys(left, "1")]


def test_an_interrupt_while_workers_start_is_told_with_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("distributed.LocalCluster", stop)
    skill = Skill(_SPEC)
    table = pd.DataFrame({"species": ["Usnea", "Lobaria"], "note": [1, 2]})
    with pytest.raises(RunInterrupted, match="2 were cancelled") as stopped:
        map_skill(skill, table, approve=skill.digest, progress=False)
    frame = stopped.value.frame  # type: ignore[attr-defined]
    assert list(frame["status"]) == ["cancelled"] * 2
    assert list(frame["note"]) == [1, 2]


def test_an_interrupt_before_the_workers_are_prepared_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Taking out what was never put there raised KeyError in its place."""

    def stop(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    skill = Skill(_SPEC)
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        monkeypatch.setattr(client, "register_plugin", stop)
        with pytest.raises(RunInterrupted, match="1 were cancelled"):
            map_skill(skill, [{"species": "Usnea"}], client, approve=skill.digest, progress=False)
