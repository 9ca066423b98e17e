"""Has a checkout play the tasks: `python -m benchmarks.agent_runs CHECKOUT PLAYED.json`."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.agent_runs.playing import play_tasks
from benchmarks.agent_runs.usage import usage_of


def main() -> None:
    """Play, write what was sent beside the usage of each task, and print it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        played = play_tasks(Path(name), Path(sys.argv[1]).resolve())
    out = Path(sys.argv[2])
    out.with_suffix(".requests.json").write_text(json.dumps(played), encoding="utf-8")
    usages = {name: asdict(usage_of(one["requests"], one["output_tokens"])) for name, one in played.items()}
    out.write_text(json.dumps(usages, indent=1) + "\n", encoding="utf-8")
    for name, one in played.items():
        print(name, "solved" if one["solved"] else "NOT SOLVED", usages[name], *one["failed"], sep="\n    ")


if __name__ == "__main__":
    main()
