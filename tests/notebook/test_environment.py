"""Where live things may be shown."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from skillbook.notebook import environment


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "shell", lambda: SimpleNamespace(kernel=object()))
    monkeypatch.delenv("SKILLBOOK_QUIET", raising=False)


@pytest.mark.usefixtures("kernel")
def test_a_kernel_run_by_pytest_is_quiet() -> None:
    assert environment.display_mode() == "quiet"


@pytest.mark.usefixtures("kernel")
def test_a_kernel_is_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_VERSION", raising=False)
    assert environment.display_mode() == "notebook"


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("wish", "mode"), [("1", "quiet"), ("true", "quiet"), ("0", "notebook"), ("off", "notebook")]
)
def test_the_variable_decides(monkeypatch: pytest.MonkeyPatch, wish: str, mode: str) -> None:
    monkeypatch.setenv("SKILLBOOK_QUIET", wish)
    assert environment.display_mode() == mode


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize(
    ("version", "blocked"), [("6.31.0", True), ("7.0.0a1", False), ("7.4.0", False), ("10.1", False)]
)
def test_old_kernels_block_clicks(monkeypatch: pytest.MonkeyPatch, version: str, blocked: bool) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace(__version__=version))  # type: ignore[arg-type]
    assert (version in environment.clicks_blocked()) is blocked
    monkeypatch.setattr(environment, "shell", lambda: None)
    assert environment.clicks_blocked() == ""


def test_no_terminal_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKILLBOOK_QUIET", raising=False)
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: False))
    assert environment.display_mode() == "quiet"
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: True))
    assert environment.display_mode() == "terminal"
