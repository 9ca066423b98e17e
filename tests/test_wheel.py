"""The wheel: what is in it, and that it works in an environment that has never seen the checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

NOT_NEEDED = re.compile(r"(node|nodejs|npm|npx|git|make|gmake|uv)(\.exe)?$")

pytestmark = [pytest.mark.timeout(300)]


def build_wheel(folder: Path) -> Path:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def bare_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH with all programs of this machine but those that users need not have."""
    folder = tmp_path_factory.mktemp("programs")
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            if not NOT_NEEDED.match(program.name) and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return str(folder)


@pytest.fixture(scope="module")
def programs(wheel: Path, bare_path: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a new environment: the wheel's files, and the dependencies of this environment.

    Dependencies come by a path entry, which neither downloads them again nor runs the `.pth` file that makes
    this environment's skillbook the checkout.
    """
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--quiet"]
    paths = {**os.environ, "PATH": bare_path}
    subprocess.run([*install, "--disable-pip-version-check", str(wheel)], check=True, env=paths)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return python.parent


def run(program: Path, *arguments: str, cwd: Path) -> str:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SKILLBOOK_"))
    }
    done = subprocess.run(
        [program, *arguments], cwd=cwd, env=kept, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_holds_the_extension_the_widget_and_the_demo_site(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    package = ROOT / "skillbook"
    assets = {
        path.relative_to(ROOT).as_posix()
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    assert {"skillbook/_extension/manifest.json", "skillbook/notebook/static/panel.js"} <= assets
    assert assets - names == set()
    assert not [name for name in names if name.startswith(("tests/", "extension/")) or "paired.json" in name]
    assert [name for name in names if name.endswith("licenses/LICENSE")]


def test_two_builds_are_equal_byte_for_byte(wheel: Path, tmp_path: Path) -> None:
    assert build_wheel(tmp_path).read_bytes() == wheel.read_bytes()


def test_the_fresh_environment_runs_the_wheels_files(programs: Path, tmp_path: Path) -> None:
    shown = run(programs / "python", "-c", "import skillbook; print(skillbook.__file__)", cwd=tmp_path)
    assert Path(shown.strip()).is_relative_to(programs.parent)
    folder = Path(run(programs / "skillbook", "extension", cwd=tmp_path).strip())
    assert folder.is_relative_to(programs.parent)
    assert (folder / "manifest.json").is_file()


@pytest.fixture
def bare_machine(bare_path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Node, git and make."""
    monkeypatch.setenv("PATH", bare_path)
    assert [name for name in ("node", "npm", "git", "make") if shutil.which(name)] == []


@pytest.mark.usefixtures("bare_machine")
def test_the_doctor_needs_neither_node_nor_git_nor_make(programs: Path, tmp_path: Path) -> None:
    assert "extension" in run(programs / "skillbook", "doctor", "--no-launch", cwd=tmp_path)


@pytest.mark.browser
@pytest.mark.usefixtures("bare_machine")
def test_the_demo_runs_from_the_wheel_without_them_too(programs: Path, tmp_path: Path) -> None:
    shown = run(programs / "skillbook", "demo", "--output", str(tmp_path / "out"), cwd=tmp_path)
    assert "skillbook serve --launch" in "\n".join(shown.splitlines()[-3:])
    made = {path.suffix for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert {".csv", ".parquet", ".md", ".yaml"} <= made
