"""A kernel that runs an agent under a cassette and prints what came of it. Its one argument is JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.errors import SkillbookError


def approve_in_panel(run: Run) -> None:
    """Decide as a panel does, which only a person looks at."""
    if run.pending is not None and run.status == "waiting":
        run.decide(run.pending.id, {"type": "approve"})


def main(url: str, goal: str, mode: str = "once", person: bool = False, click: str = "") -> dict[str, Any]:
    tape = sb.cassette("orders", mode=mode)  # type: ignore[arg-type]
    sb.secret("shop", origins=[url])
    with sb.launch() as browser:
        page = browser.open(url)
        run = sb.agent(page, goal, max_steps=12)
        if person:
            run.on_change.append(approve_in_panel)
            run.run()
        else:
            run.start()
        if click:
            page.click(click)
            page.wait_for(text="no rates")
        said: dict[str, Any] = {
            "status": run.status,
            "error": str(run.error or ""),
            "result": run.result,
            "steps": [[step.tool, step.decision, step.error] for step in run.records],
            "frame": None if run.frame is None else run.frame.to_dict("records"),
        }
        try:
            tape.stop()
        except SkillbookError as error:
            said["stop"] = f"{error.code}: {error}"
    return said


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.argv[1])), default=str))
