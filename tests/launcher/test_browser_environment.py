"""A browser starts with the variables that it needs, and no key is one of them."""

from __future__ import annotations

import pytest

from skillbook.launcher.chromium_search import browser_environment

NEEDED = [
    "HOME", "PATH", "LANG", "LC_ALL", "LC_TIME", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS", "http_proxy", "HTTPS_PROXY", "no_proxy",
    "FONTCONFIG_PATH", "LD_LIBRARY_PATH", "SystemRoot", "ProgramFiles(x86)", "LOCALAPPDATA", "APPDATA",
    "USERPROFILE", "__CF_USER_TEXT_ENCODING", "SNAP", "CHROME_DEVEL_SANDBOX",
]  # fmt: skip
KEYS = [
    "SKILLBOOK_SECRET_BANK", "SKILLBOOK_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY",
    "GOOGLE_API_KEY", "GITHUB_TOKEN", "HF_TOKEN", "JPY_API_TOKEN", "JUPYTERHUB_API_TOKEN", "DATABASE_URL",
    "NAME_THAT_NOBODY_KNOWS", "SSH_AUTH_SOCK", "HOME_KEY", "MY_PATH", "NPM_CONFIG__AUTH",
]  # fmt: skip


@pytest.mark.parametrize("name", NEEDED)
def test_it_gets_what_it_needs(name: str) -> None:
    assert browser_environment({name: "x"}) == {name: "x"}


@pytest.mark.parametrize("name", KEYS)
def test_it_gets_no_key(name: str) -> None:
    assert browser_environment({name: "x"}) == {}
