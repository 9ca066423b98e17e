"""The state by which a mapped skill is signed in: read once, here, so that each worker gets a copy of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skillbook.config import load_settings
from skillbook.errors import ConfigError, SkillbookError
from skillbook.session.named_states import part_for
from skillbook.session.saved_state import SavedState, read_state, state_path
from skillbook.skill.model import SkillSpec
from skillbook.skill.model.inputs import bind_inputs
from skillbook.skill.replay.sign_in import skill_addresses

_SIGNS_IN = ("state", "profile", "user_data_dir")


def state_to_hand(
    spec: SkillSpec, rows: Sequence[Mapping[str, Any]], launch: Mapping[str, Any]
) -> SavedState | None:
    """The part of a skill's state that its rows need; None for a skill without one.

    Parameters
    ----------
    rows : the inputs of each row.
    launch : options of `sb.launch` for the workers.

    Raises
    ------
    ConfigError : there is no such state, it is for other origins than a row's, or `launch` signs in otherwise.
    """
    if not spec.state:
        return None
    if given := [name for name in _SIGNS_IN if launch.get(name) is not None]:
        raise ConfigError(
            f"the skill is signed in by the state {spec.state!r}, and `launch` has {given[0]!r}",
            hint=f"leave {given[0]!r} out",
        )
    state = read_state(state_path(spec.state, load_settings().home))
    origins: dict[str, None] = {}
    for place, row in enumerate(rows):
        try:
            part = part_for(state, spec.state, skill_addresses(spec, bind_inputs(spec, row), ""))
        except SkillbookError as error:
            error.message = f"row {place}: {error.message}"
            raise
        origins |= dict.fromkeys(part.origins)
    return state.only(origins)
