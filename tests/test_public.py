from __future__ import annotations

import subprocess
import sys

import pytest

import skillbook as sb
from skillbook.skill.authoring.demonstration import Demonstration

HEAVY = (
    "pandas",
    "langchain",
    "langgraph",
    "ipywidgets",
    "anywidget",
    "websockets",
    "IPython",
    "openai",
    "pydantic",
)


def test_all_names_the_public_api_and_every_name_loads() -> None:
    assert set(sb.__all__) == {"__version__", *sb._PLACES}
    for name in sb.__all__:
        assert getattr(sb, name) is not None
    assert set(dir(sb)) >= set(sb.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(sb, "launhc")


def test_importing_is_light() -> None:
    code = f"import sys, skillbook; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_async_names_are_those_of_the_package() -> None:
    assert set(dir(sb.aio)) == set(sb.aio.__all__)
    own = {"Browser", "Element", "Page", "launch", "connect", "evaluate"}
    for name in sb.aio.__all__:
        assert name in sb.__all__
        assert (getattr(sb.aio, name) is getattr(sb, name)) == (name not in own), name
    assert not hasattr(sb.aio, "Settings")


@pytest.mark.parametrize(
    ("owner", "shown", "hidden"),
    [
        (sb.Run, "start step auto pause stop approve fork", "go_on settle halt supersede decide"),
        (Demonstration, "pause stop steps input save_skill", "begin finish request add changed"),
    ],
)
def test_completion_shows_what_a_user_calls(owner: type, shown: str, hidden: str) -> None:
    names = set(owner.__dir__(object.__new__(owner)))
    assert set(shown.split()) <= names
    assert not set(hidden.split()) & names
    assert all(hasattr(owner, name) for name in hidden.split() if name != "request")
