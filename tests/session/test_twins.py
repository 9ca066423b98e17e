from __future__ import annotations

import inspect
import os
from pathlib import Path

import pytest

from skillbook import twin
from skillbook.protocol.commands import COMMANDS
from skillbook.session import aio, sync
from skillbook.twin import to_sync

ELSEWHERE = {
    "tabs_open": "Browser.open", "tabs_list": "Browser.refresh", "tabs_switch": "Page.switch",
    "tabs_close": "Page.close", "is": "Page.is_",
}  # fmt: skip


def test_both_twins_are_up_to_date() -> None:
    for name, text in twin.to_write().items():
        assert (twin.AWAITABLE / name).read_text("utf-8") == twin.BANNER + text
        assert (twin.TARGET / name).read_text("utf-8") == twin.BANNER + to_sync(text)


def test_a_checkout_whose_twins_are_older_or_missing_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, table = tmp_path / "by_hand", tmp_path / "protocol"
    source.mkdir()
    (table / "commands").mkdir(parents=True)
    (source / "element.py").write_text("class Element: ...\n", "utf-8")
    page = source / "page_x.py"
    page.write_text("class PageX:\n    async def ping(self) -> None: ...\n", "utf-8")
    for name in ("methods.py", "docstrings.py", "commands/act.py"):
        (table / name).write_text("", "utf-8")
    for name, path in {"SOURCE": source, "TABLE": table}.items():
        monkeypatch.setattr(twin, name, path)
    for name in ("AWAITABLE", "TARGET"):
        monkeypatch.setattr(twin, name, tmp_path / name.lower())
    with pytest.raises(ImportError, match="run `make generate`"):
        twin.check_twins()
    twin.TARGET.mkdir()
    (twin.TARGET / "gone.py").write_text("", "utf-8")
    twin.write_twins()
    twin.check_twins()
    written = {path.name for path in twin.TARGET.iterdir()}
    assert written == {"page_x.py", "element.py", "page_commands.py", "element_methods.py"}
    for changed in (page, table / "commands" / "act.py"):
        later = max(path.stat().st_mtime_ns for path in twin.TARGET.iterdir()) + 1
        os.utime(changed, ns=(later, later))
        with pytest.raises(ImportError, match=rf"is older than {changed.name}"):
            twin.check_twins()
        os.utime(changed, ns=(0, 0))
        twin.check_twins()
    os.utime(page, ns=(later * 2, later * 2))
    monkeypatch.setattr(twin, "_CHECKOUT", tmp_path / "hatch_build.py")
    twin.check_twins()


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
    for module in (aio, sync):
        assert callable(getattr(getattr(module, owner), method))


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
