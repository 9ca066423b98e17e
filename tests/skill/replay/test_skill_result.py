"""A replay's name in the journal says which call of a run replays it."""

from __future__ import annotations

from skillbook.skill.replay.skill_result import called_by, is_of_call, new_key


def test_a_replay_is_of_the_call_that_runs_it() -> None:
    with called_by("run-1#c2.0L5"):
        key = new_key()
    assert key.startswith("run-1#c2.0L5/replay-")
    assert is_of_call(key, "run-1#c2.0L5")
    assert is_of_call("run-1#c2.0L5", "run-1#c2.0L5")
    assert not is_of_call(key, "run-1#c2.0L")
    assert not is_of_call("run-1#c2.0L51/replay-1", "run-1#c2.0L5")
    assert new_key().startswith("replay-")
