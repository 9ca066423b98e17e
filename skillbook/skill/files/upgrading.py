"""What earlier versions wrote, in the present form: one place, so that the model knows that form alone.

`tests/skill/golden` has a folder of every form. A record's texts under `record` or `beside` stay as they are: an
approval is for the digest of what a file says, and `skillbook.skill.targets.surroundings` compares them.
"""

from __future__ import annotations

from typing import Any

NAMES_OF_VERSION_1 = {"rungs": "selectors", "looks": "fingerprint"}


def upgraded(step: Any, version: int) -> Any:
    """A step as the present version has it, with the steps inside of it; what is no step is left to the model."""
    if not isinstance(step, dict):
        return step
    found = dict(step)
    if version == 1:
        for part in ("target", "to"):
            if isinstance(found.get(part), dict):
                found[part] = {
                    NAMES_OF_VERSION_1.get(name, name): value for name, value in found[part].items()
                }
    params = found.get("params")
    if found.get("command") == "wait_for" and isinstance(params, dict) and "quiet" in params:
        # A page was waited for until it was silent; it is at rest now once what was caused is over.
        kept = {name: value for name, value in params.items() if name != "quiet"}
        found["params"] = {**kept, "idle": params["quiet"]}
    if isinstance(found.get("steps"), list):
        found["steps"] = [upgraded(inner, version) for inner in found["steps"]]
    return found
