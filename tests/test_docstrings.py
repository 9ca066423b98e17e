"""The docstrings of public names are complete, so that an API reference can be built of them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from numpydoc.validate import validate

import skillbook as sb
from skillbook.agents.run.run_tables import StepMetrics
from skillbook.extraction.frames.accessor import FrameAccessor
from skillbook.perception.diff.snapshot_diff import SnapshotDiff
from skillbook.skill.authoring.demonstration import Demonstration
from skillbook.skill.authoring.from_journal import SavedSession
from skillbook.skill.consent.granting import ProposedGrant
from skillbook.skill.hint_library import HintLibrary
from skillbook.skill.replay.skill_result import SkillResult

CLASSES = (
    sb.Browser, sb.Page, sb.Element, sb.aio.Browser, sb.aio.Page, sb.Snapshot, sb.Run, sb.Skill, SkillResult,
    Demonstration, FrameAccessor, SavedSession, ProposedGrant, HintLibrary, StepMetrics, SnapshotDiff,
)  # fmt: skip
MODULES = {
    "aio",
    "goals",
    "__version__",
    "browsers",
    "preferences",
    "skills",
    "workflows",
    "load_ipython_extension",
}
COMPLETE = {"GL08", "PR01", "PR02", "PR03", "PR04", "PR07", "RT01", "RT03", "SS01"}
"""Documented; all parameters with types and texts; what is returned. numpydoc's names of these checks."""
INTERNAL = {"box_of", "child_indexes", "text_of", "with_page_tools", "find_cell"}
"""What layers above call of a snapshot and of a frame."""


def path_of(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def methods() -> Iterator[Any]:
    for owner in CLASSES:
        shown = set(owner.__dir__(object.__new__(owner)))
        for name, member in inspect.getmembers(owner, inspect.isfunction):
            if (
                name in shown - INTERNAL
                and not name.startswith("_")
                and member.__module__.startswith("skillbook")
            ):
                yield pytest.param(member, id=f"{owner.__module__}.{owner.__name__}.{name}")


@pytest.mark.parametrize("method", list(methods()))
def test_public_methods(method: Any) -> None:
    # A docstring that says to see another one has no sections of its own.
    found = {code: text for code, text in validate(path_of(method))["errors"] if code in COMPLETE}
    assert not found or _refers(method), found


@pytest.mark.parametrize("name", sorted(set(sb.__all__) - MODULES))
def test_public_names(name: str) -> None:
    named = getattr(sb, name)
    thing = named if hasattr(named, "__qualname__") else type(named)
    # Users hold objects of classes; those that they make say what of.
    made = not inspect.isclass(thing) or thing in {sb.Settings, sb.SkillbookError}
    wanted = {"EX01", *(COMPLETE if made else {"GL08", "PR02", "SS01"})}
    found = {code: text for code, text in validate(path_of(thing))["errors"] if code in wanted}
    assert not found


def _refers(method: Any) -> bool:
    summary = (inspect.getdoc(method) or "").splitlines()[0]
    return summary.startswith(("Like `", "As `"))
