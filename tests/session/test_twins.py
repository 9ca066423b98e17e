from __future__ import annotations

import inspect

import pytest

from skillbook.protocol.commands import COMMANDS
from skillbook.session import aio, sync
from skillbook.session.generate import main, to_sync

ELSEWHERE = {
    "tabs_open": "Browser.open", "tabs_list": "Browser.refresh", "tabs_switch": "Page.switch",
    "tabs_close": "Page.close", "is": "Page.is_",
}  # fmt: skip


def test_the_blocking_twin_is_up_to_date() -> None:
    assert main(["--check"]) == 0


def test_async_becomes_blocking() -> None:
    source = "async def f(x: Awaitable[list[int]]) -> None:\n    async with x:\n        await io.wait(g(x))\n"
    assert "def f(x: list[int]) -> None:\n    with x:\n        io.sync(g(x))\n" in to_sync(source)


def _members(owner: type) -> dict[str, object]:
    return {name: member for base in reversed(owner.__mro__[:-1]) for name, member in vars(base).items()}


@pytest.mark.parametrize("name", ["Browser", "Page", "Element"])
def test_the_twins_have_the_same_names_and_parameters(name: str) -> None:
    ours, theirs = _members(getattr(aio, name)), _members(getattr(sync, name))
    assert {key for key in ours if not key.startswith("__")} == {
        key for key in theirs if not key.startswith("__")
    }
    for key, member in ours.items():
        if inspect.isfunction(member) and not key.startswith("__"):
            assert list(inspect.signature(member).parameters) == list(
                inspect.signature(theirs[key]).parameters
            )


@pytest.mark.parametrize("command", [c for c in COMMANDS.values() if not c.internal], ids=lambda c: c.name)
def test_every_command_has_a_method(command: object) -> None:
    path = ELSEWHERE.get(command.name, f"Page.{command.name}")  # type: ignore[attr-defined]
    owner, method = path.split(".")
    for twin in (aio, sync):
        assert callable(getattr(getattr(twin, owner), method))


@pytest.mark.parametrize("command", [c for c in COMMANDS.values() if not c.internal], ids=lambda c: c.name)
def test_elements_take_what_pages_take(command: object) -> None:
    """All but the target, and what makes no sense for one element."""
    name = ELSEWHERE.get(command.name, f"Page.{command.name}").split(".")[1]  # type: ignore[attr-defined]
    method = getattr(aio.Element, name, None)
    if not inspect.iscoroutinefunction(method):
        return
    wanted = inspect.signature(getattr(aio.Page, name)).parameters.keys() - {
        "target", "full_page", "x", "y",
    }  # fmt: skip
    assert inspect.signature(method).parameters.keys() == wanted
