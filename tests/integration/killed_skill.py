"""A kernel whose cell runs a skill; the server kills it meanwhile. Arguments: address, and a file for its number."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import skillbook as sb
from tests.shown import after_reading
from tests.waiting import until

ADDRESS, NOTE = sys.argv[1:]


def main() -> None:
    run = sb.agent(sb.launch().open(ADDRESS), "Add two things", mode="cells", autonomy="all")
    Path(NOTE).write_text(f"{os.getpid()} {run.id}")
    run.start()
    while True:
        until(lambda: run.pending is not None, "nothing waits, and nobody killed this kernel")
        after_reading(run).approve()


if __name__ == "__main__":
    main()
