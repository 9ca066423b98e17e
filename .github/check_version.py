"""The tag, the package and the extension have one version: `python .github/check_version.py v0.1.0`."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def versions() -> dict[str, str]:
    """The version in each place that has one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module = (ROOT / "skillbook/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', module, re.M)
    citation = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    manifest = json.loads((ROOT / "extension/manifest.json").read_text(encoding="utf-8"))
    return {
        "pyproject.toml": project["version"],
        "skillbook/__init__.py": found[1] if found else "",
        "extension/manifest.json": manifest["version"],
        "CITATION.cff": citation[1] if citation else "",
    }


def main(tag: str) -> int:
    """1 if a place has another version than the tag."""
    wrong = {place: version for place, version in versions().items() if f"v{version}" != tag}
    for place, version in wrong.items():
        print(f"{place} has version {version!r}, the tag is {tag!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
