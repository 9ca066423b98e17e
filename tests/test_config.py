from __future__ import annotations

import inspect
import os
from collections.abc import ItemsView, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbook.config import Settings, _given, load_settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("SKILLBOOK_CHROMIUM", "SKILLBOOK_BASE_URL", "SKILLBOOK_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_fault_39_a_folders_file_names_no_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text("SKILLBOOK_CHROMIUM=/tmp/evil\nSKILLBOOK_HEADLESS=0\n")
    with pytest.warns(UserWarning, match="SKILLBOOK_CHROMIUM"):
        settings = load_settings()
    assert settings.chromium is None
    assert settings.headless is False
    monkeypatch.setenv("SKILLBOOK_CHROMIUM", "/usr/bin/chromium")
    assert load_settings().chromium == Path("/usr/bin/chromium")


def test_fault_39_a_folders_file_gets_no_key_from_elsewhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".env").write_text("SKILLBOOK_BASE_URL=http://evil.test/v1\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-person")
    with pytest.warns(UserWarning, match="SKILLBOOK_BASE_URL"):
        assert load_settings().base_url is None


@pytest.mark.filterwarnings("error")
def test_a_folders_file_may_name_a_server_for_its_key(folder: Path) -> None:
    (folder / ".env").write_text("SKILLBOOK_BASE_URL=http://127.0.0.1:8000/v1\nSKILLBOOK_API_KEY=any\n")
    assert load_settings().base_url == "http://127.0.0.1:8000/v1"


@pytest.mark.filterwarnings("error")
def test_a_person_can_trust_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text("SKILLBOOK_CHROMIUM=/opt/chromium\nSKILLBOOK_BASE_URL=http://x.test/v1\n")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-person")
    monkeypatch.setenv("SKILLBOOK_TRUST_DOTENV", "1")
    settings = load_settings()
    assert settings.chromium == Path("/opt/chromium")
    assert settings.base_url == "http://x.test/v1"


def test_signature_and_docstring_name_every_setting_and_nothing_else() -> None:
    assert list(inspect.signature(Settings).parameters) == list(Settings.model_fields)
    for name, field in Settings.model_fields.items():
        assert f"\n{name} : " in (Settings.__doc__ or "")
        assert field.description in (Settings.__doc__ or "")


class Fading(dict[str, str]):
    """Variables of which another thread deletes one between its name's being read and its value's."""

    def __iter__(self) -> Iterator[str]:
        yield "SKILLBOOK_GONE"
        yield from super().__iter__()

    def items(self) -> Any:
        return ItemsView(self)


def test_settings_are_read_while_another_thread_deletes_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _given()
    monkeypatch.setattr(os, "environ", Fading(os.environ))
    assert _given() == before
