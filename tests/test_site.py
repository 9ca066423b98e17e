"""The documentation's site builds from today's files: no warning, nothing from elsewhere, every public name in it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.cli.subcommands import SUBCOMMANDS
from skillbook.config import Settings
from skillbook.errors import DOCS_URL

ROOT = Path(__file__).parents[1]
MAINTAINERS = {
    *(
        "README.md",
        "attacks.md",
        "benchmarks.md",
        "builtin_skills_measured.md",
        "conformance.md",
        "faults.md",
    ),
    *(
        "exploration_measured.md",
        "lexicon.md",
        "records_measured.md",
        "skill_variations_measured.md",
        "soak.md",
        "tool_calls_measured.md",
    ),
}
"""Pages that stay in the repository."""
REMOTE = re.compile(
    r"<(?:script|img|iframe|source|embed)\b[^>]*\bsrc=[\"'](?:https?:)?//[^\"']+"
    r"|<link\b(?![^>]*rel=[\"']canonical)[^>]*\bhref=[\"'](?:https?:)?//[^\"']+"
)
REMOTE_STYLE = re.compile(r"(?:@import\s+|url\()[\"']?(?:https?:)?//[^)\"']+")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; every warning fails the build, broken links between pages among them."""
    pytest.importorskip("myst_nb", reason='the site is built with pip install -e ".[docs]"')
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs/site"]
    done = subprocess.run(
        [*build, "-d", str(folder / "doctrees"), ".", str(folder / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def reference(site: Path, name: str = "*") -> str:
    return "\n".join(
        path.read_text(encoding="utf-8") for path in (site / "docs/reference").glob(f"{name}.html")
    )


def test_every_page_and_notebook_is_in_it(site: Path) -> None:
    sources = [*(ROOT / "docs").glob("*.md"), *(ROOT / "notebooks").glob("*.ipynb")]
    assert len(sources) > 50
    missing = [
        path.name for path in sources if not (site / path.relative_to(ROOT).with_suffix(".html")).exists()
    ]
    assert set(missing) == MAINTAINERS
    assert 'url=docs/index.html"' in (site / "index.html").read_text(encoding="utf-8")


def test_links_show_titles_not_files(site: Path) -> None:
    shown = (site / "docs" / "own_agent.html").read_text(encoding="utf-8")
    assert re.findall(r">[\w./-]+\.md<", shown) == []
    assert "Concepts</span></a>" in shown


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert len(pages) > 60
    assert {path.name: found for path, text in pages.items() if (found := REMOTE.findall(text))} == {}
    styles = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.css")}
    assert {path.name: found for path, text in styles.items() if (found := REMOTE_STYLE.findall(text))} == {}


def test_every_public_name_has_an_entry(site: Path) -> None:
    text = reference(site)
    assert [name for name in sb.__all__ if f"sb.{name}<" not in text] == []
    methods = [
        "skillbook.Page.click",
        "skillbook.Run.approve",
        "skillbook.Skill.run",
        "skillbook.Browser.open",
    ]
    assert [name for name in methods if f'id="{name}"' not in text] == []


def test_every_setting_and_shell_command_has_an_entry(site: Path) -> None:
    settings, shell = reference(site, "every_setting"), reference(site, "shell")
    assert [name for name in Settings.model_fields if f"SKILLBOOK_{name.upper()}<" not in settings] == []
    assert [one.name for one in SUBCOMMANDS if f"usage: skillbook {one.name} " not in shell] == []


def test_hints_and_the_wheel_name_the_same_address() -> None:
    """Both are empty until the maintainers have an address: RELEASING.md."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.get("urls", {}).get("Documentation", "") == DOCS_URL
    assert DOCS_URL == "" or DOCS_URL.endswith("/")


def test_the_nightly_fence_sees_what_got_slower_tables_too() -> None:
    from benchmarks.figures import Figure
    from benchmarks.report import KEPT, read_json, slower

    kept = read_json([KEPT])[0].figures
    tables = [one for one in kept if one.measure == "table to DataFrame" and "read_html" in one.peer]
    assert len(tables) >= 2
    assert slower(tables, kept, 0.15) == []
    slow = [Figure(**{**vars(one), "ours": 1.3 * one.ours}) for one in tables]
    assert len(slower(slow, kept, 0.15)) == len(tables)
    # A goal that is read in another way than when the figure was kept is the same comparison.
    other = [Figure(**{**vars(one), "kind": "share"}) for one in tables]
    assert slower(other, kept, 0.15) == []
