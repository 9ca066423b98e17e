from __future__ import annotations

import subprocess
import sys

import skillbook as sb

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
