"""The lab tests on other versions of ipykernel, in Notebook 7 and in marimo: `make lab-matrix`.

Each environment is a folder of packages that goes before the installed ones for the server and its kernels.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ROOT / ".lab-matrix"
BLOCKED = (
    "answers_arrive_while_a_cell_blocks or lets_clicks_through or hovering or follows_while_a_cell_blocks or "
    "the_magics or quickstart"
)
"""Tests in which something arrives while a cell runs, which ipykernel 6 doesn't bring; skillbook says so there."""


@dataclass(frozen=True)
class Place:
    """Where the tests run.

    Parameters
    ----------
    packages: what to install, without what they require where they come `alone`.
    app: the application that shows notebooks.
    tests: the tests, and `without` those of them to leave out.
    """

    name: str
    packages: tuple[str, ...]
    app: str = "lab"
    tests: str = "tests/lab"
    alone: bool = True
    without: str = ""


PLACES = (
    Place("ipykernel 6.31", ("ipykernel==6.31.0", "nest-asyncio"), without=BLOCKED),
    Place("ipykernel 7.3", ("ipykernel==7.3.0",)),
    Place("ipykernel 7.4", ("ipykernel==7.4.0",)),
    Place("Notebook 7", ("notebook==7.6.5",), app="notebook"),
    Place("marimo", ("marimo==0.25.2",), app="marimo", tests="tests/lab/test_marimo.py", alone=False),
)


def install(place: Place) -> Path:
    """The folder with a place's packages, filled the first time."""
    folder = FOLDERS / re.sub(r"\W+", "-", place.name)
    if not folder.exists():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder)]
        pip += ["--no-deps"] if place.alone else []
        subprocess.run([*pip, *place.packages], check=True)
    return folder


def run(place: Place, more: list[str]) -> str:
    """Run the tests there; returns pytest's last line."""
    env = os.environ | {"LAB_PACKAGES": str(install(place)), "LAB_APP": place.app}
    chosen = ["-k", f"not ({place.without})"] if place.without else []
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", *chosen, *(more or [place.tests])]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    print(*[line for line in lines if line.startswith(("FAILED", "ERROR"))], sep="\n", flush=True)
    return lines[-1] if lines else done.stderr[-500:]


def main(arguments: list[str]) -> int:
    """Run all places, or those whose names contain an argument `--only=…`; further arguments go to pytest."""
    only = [each.removeprefix("--only=") for each in arguments if each.startswith("--only=")]
    more = [each for each in arguments if not each.startswith("--only=")]
    failed = 0
    for place in PLACES:
        if only and not any(each in place.name for each in only):
            continue
        began = time.monotonic()
        said = run(place, more)
        failed += "failed" in said or "error" in said or "passed" not in said
        print(f"{place.name}: {said} ({time.monotonic() - began:.0f} s in all)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
