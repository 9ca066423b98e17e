"""Files of states: private, bound to origins, encrypted if wanted, and plain about what has expired."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from skillbook.errors import ConfigError, InvalidParams
from skillbook.session.kept_profiles import profiles
from skillbook.session.saved_state import (
    SavedState,
    belongs,
    checked_origins,
    read_state,
    state_path,
    write_state,
)

SITE = "https://app.shop.test"


def cookie(domain: str = "app.shop.test", **more: Any) -> dict[str, Any]:
    return {
        "name": "sid", "value": "s3cr3t", "domain": domain, "path": "/", "secure": True, "http_only": True,
        "host_only": True, "same_site": "lax", "expires": None, "top_level_site": None, **more,
    }  # fmt: skip


def database(value: str) -> dict[str, Any]:
    records = [{"key": '["sid"]', "value": json.dumps([value])}]
    store = {"name": "tokens", "key_path": None, "auto_increment": False, "indexes": [], "records": records}
    return {"name": "auth", "version": 3, "stores": [store]}


@pytest.mark.parametrize(
    ("facts", "is_sent"),
    [
        ({}, True),
        ({"domain": ".shop.test", "host_only": False}, True),
        ({"domain": "shop.test"}, False),
        ({"domain": ".other.test", "host_only": False}, False),
        ({"domain": ".hop.test", "host_only": False}, False),
        ({"domain": "127.0.0.1"}, False),
    ],
)
def test_only_cookies_that_the_origins_get_belong_to_a_state(facts: dict[str, Any], is_sent: bool) -> None:
    assert belongs(cookie(**facts), [SITE]) is is_sent
    assert belongs(cookie(**facts), ["http://app.shop.test"]) is False


@pytest.mark.parametrize("encrypt", [False, True])
def test_a_state_comes_back_and_shows_nothing(
    encrypt: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring = pytest.importorskip("keyring")
    keys: dict[str, str] = {}
    monkeypatch.setattr(keyring, "get_password", lambda service, name: keys.get(name))
    monkeypatch.setattr(keyring, "set_password", lambda service, name, value: keys.update({name: value}))
    state = SavedState((SITE,), [cookie()], {SITE: {"token": "t0ken"}}, {}, {SITE: [database("t0ken")]})
    path = tmp_path / "work.json"
    write_state(path, state, encrypt=encrypt)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_state(path) == state
    assert ("s3cr3t" in path.read_text()) is not encrypt
    assert "s3cr3t" not in repr(state)
    assert "t0ken" not in repr(state)
    if encrypt:
        keys["state-key"] = "A" * 43 + "="
        with pytest.raises(ConfigError, match="another key"):
            read_state(path)
        keys.clear()
        with pytest.raises(ConfigError, match="no key"):
            read_state(path)


def test_what_has_expired_is_said_and_left_out(tmp_path: Path) -> None:
    old = cookie(name="old", expires=time.time() - 1)
    write_state(tmp_path / "s.json", SavedState((SITE,), [old, cookie()]), encrypt=False)
    with pytest.warns(UserWarning, match=r"1 cookies of s.json have expired \(old\)"):
        state = read_state(tmp_path / "s.json")
    assert [each["name"] for each in state.cookies] == ["sid"]


def test_cookies_that_somebody_added_for_other_sites_are_left_out(tmp_path: Path) -> None:
    write_state(tmp_path / "s.json", SavedState((SITE,), [cookie(), cookie("evil.test")]), encrypt=False)
    assert [each["domain"] for each in read_state(tmp_path / "s.json").cookies] == ["app.shop.test"]


def test_databases_are_bound_to_their_origins_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    both = {SITE: [database("a")], "https://evil.test": [database("b")]}
    write_state(path, SavedState((SITE,), databases=both), encrypt=False)
    state = read_state(path)
    assert state.databases == {SITE: [database("a")]}
    other = SavedState(("https://b.test",), databases={"https://b.test": [database("b")]})
    assert list(state.with_others(other).databases) == [SITE, "https://b.test"]
    facts = json.loads(path.read_text())
    del facts["databases"]
    path.write_text(json.dumps(facts))
    assert read_state(path).databases == {}, "a state that was saved before there were any"
    facts["databases"] = {SITE: [{"name": "s3cr3t"}]}
    path.write_text(json.dumps(facts))
    with pytest.raises(ConfigError, match="its databases are damaged") as caught:
        read_state(path)
    assert "s3cr3t" not in str(caught.value)


def test_a_file_that_others_can_read_or_that_is_no_state_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    write_state(path, SavedState((SITE,)), encrypt=False)
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="others can read"):
        read_state(path)
    path.chmod(0o600)
    path.write_text(json.dumps({"cookies": []}))
    with pytest.raises(ConfigError, match="is no state"):
        read_state(path)
    with pytest.raises(ConfigError, match="there is no state"):
        read_state(tmp_path / "none.json")


def test_names_paths_and_origins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert state_path("work", tmp_path) == tmp_path / "states" / "work.json"
    assert state_path(tmp_path / "a.json", tmp_path) == tmp_path / "a.json"
    for wrong in ("../work", "a.txt", ""):
        with pytest.raises(InvalidParams, match="no state's name"):
            state_path(wrong, tmp_path)
    assert checked_origins(["https://a.test/x", "https://a.test"]) == ("https://a.test",)
    with pytest.raises(InvalidParams, match="no origin"):
        checked_origins(["nowhere"])
    with pytest.raises(InvalidParams, match="no origin is known"):
        checked_origins([])
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    assert list(profiles) == []
    (tmp_path / "profiles" / "work").mkdir(parents=True)
    assert "work" in profiles
    assert repr(profiles) == "<Profiles: work>"
    del profiles["work"]
    for wrong in ("../x", "none"):
        with pytest.raises(InvalidParams):
            del profiles[wrong]
