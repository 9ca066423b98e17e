"""The package's description is the README, with links that lead somewhere from outside of the repository."""

from __future__ import annotations

import re
from pathlib import Path

from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

from hatch_build import absolute_links

ROOT = Path(__file__).parents[1]
RELATIVE = re.compile(r"\]\((?!https?:|#|mailto:)[^)]+\)")


def test_the_package_describes_itself_without_relative_links() -> None:
    text = ProjectMetadata(str(ROOT), PluginManager()).core.readme
    assert text.startswith("# skillbook")
    assert RELATIVE.findall(text) == []
    assert RELATIVE.findall((ROOT / "README.md").read_text(encoding="utf-8")) != []


def test_links_and_pictures_lead_to_the_repository() -> None:
    text = "![p](docs/a.png) [b](docs/b.md#c) [d](https://e.example) [f](#g)"
    assert absolute_links(text, "https://x.example/r/") == (
        "![p](https://x.example/r/raw/main/docs/a.png) [b](https://x.example/r/blob/main/docs/b.md#c) "
        "[d](https://e.example) [f](#g)"
    )


def test_without_an_address_links_are_words() -> None:
    assert absolute_links("![p](a.png)[b](b.md)", "") == "b"
