"""What the built extension says of itself: where its pages may connect, and whose code it contains."""

from __future__ import annotations

import json
import re

import pytest

from skillbook.launcher.profile import extension_path


def test_its_pages_connect_to_nothing_and_its_worker_to_kernels_only() -> None:
    manifest = json.loads((extension_path() / "manifest.json").read_text("utf-8"))
    policy = manifest["content_security_policy"]["extension_pages"]
    rules = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self'"
    # Another computer's kernel is behind https, see `PublicAddress`.
    assert set(rules["connect-src"].split()) == {
        "'self'",
        "data:",
        "ws://127.0.0.1:*",
        "ws://localhost:*",
        "wss:",
    }
    assert "unsafe" not in policy


@pytest.mark.parametrize("page", ["popup", "confirm", "sidepanel"])
def test_a_page_says_so_itself(page: str) -> None:
    text = (extension_path() / f"{page}.html").read_text("utf-8")
    assert re.search(r"""http-equiv="Content-Security-Policy" content="connect-src 'none'\"""", text)


def test_it_names_everything_that_is_bundled() -> None:
    text = (extension_path() / "THIRD_PARTY_NOTICES.txt").read_text("utf-8")
    named = re.findall(r"^([a-z-]+) \d+\.\d+\.\d+$", text, re.MULTILINE)
    assert named == ["react", "react-dom", "scheduler"]
    assert text.count("Copyright (c)") == len(named)
