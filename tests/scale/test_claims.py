"""Who may do a row, and from which step on it may not be done twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skillbook.errors import ConfigError
from skillbook.scale.claims import Claims, first_effect
from skillbook.scale.row_store import FolderStore, MemoryStore
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import SkillInput
from skillbook.skill.model.spec_steps import Send, SkillStep, StepTarget

_CLICK = SkillStep(command="click", target=StepTarget(selectors=["button 'Go'"]))
_DELETE = SkillStep(command="click", target=StepTarget(selectors=["button 'Delete'"]), irreversible=True)


def _spec(*steps: SkillStep, **more: Any) -> SkillSpec:
    return SkillSpec(name="x", description="x", steps=list(steps), **more)


def _send(step: int) -> Send:
    return Send(step=step, method="POST", origin="http://x.test", path="/write")


def test_a_row_is_granted_to_one_attempt_and_written_before(tmp_path: Path) -> None:
    claims = Claims(FolderStore(tmp_path))
    assert claims.grant("k", "first") == ""
    assert FolderStore(tmp_path).is_claimed("k")
    assert claims.grant("k", "first") == "", "an answer that was lost may be asked for again"
    assert "could do it twice" in claims.grant("k", "second")
    assert "another map" in Claims(FolderStore(tmp_path)).grant("k", "third")
    assert claims.is_claimed("k")
    assert not claims.is_claimed("other")


def test_nothing_is_granted_after_the_end_or_if_it_cannot_be_written() -> None:
    class Full(MemoryStore):
        def claim(self, key: str) -> bool:
            raise ConfigError("disk full")

    claims = Claims(Full())
    assert "disk full" in claims.grant("k", "a")
    assert isinstance(claims.error, ConfigError)
    ended = Claims(MemoryStore())
    ended.close()
    assert "stopped" in ended.grant("k", "a")
    assert not ended.is_claimed("k")


def test_the_first_step_that_mustnt_happen_twice() -> None:
    assert first_effect(_spec(_CLICK), {}, None) is None
    assert first_effect(_spec(_CLICK, sends=[]), {}, "digest") is None
    assert first_effect(_spec(_CLICK), {}, "digest") == 0, (
        "what it sends isn't listed, and all of it is approved"
    )
    assert first_effect(_spec(_CLICK, _CLICK, sends=[_send(2)]), {}, None) == 2
    assert first_effect(_spec(_CLICK, _DELETE, _CLICK, sends=[_send(3)]), {}, None) == 2


def test_a_start_that_changes_something_is_claimed_before() -> None:
    spec = _spec(
        _CLICK, sends=[], start="http://x.test/${input:what}", inputs=[SkillInput(name="what", type="str")]
    )
    assert first_effect(spec, {"what": "items"}, None) is None
    assert first_effect(spec, {"what": "items/delete"}, None) == 0
