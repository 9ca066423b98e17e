"""The wheel: what is in it, and that it works in an environment that has never seen the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

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
def path_of_traps(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH on which the programs that users need not have fail loudly."""
    folder = tmp_path_factory.mktemp("traps")
    for name in ("node", "npm", "git", "make"):
        trap = folder / name
        trap.write_text(f"#!/bin/sh\necho {name} was called >&2\nexit 97\n", encoding="utf-8")
        trap.chmod(0o755)
    return os.pathsep.join([str(folder), os.environ["PATH"]])


@pytest.fixture(scope="module")
def programs(wheel: Path, path_of_traps: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a new environment: the wheel's files, and the dependencies of this environment.

    Dependencies come by a path entry, which neither downloads them again nor runs the `.pth` file that makes
    this environment's skillbook the checkout.
    """
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--quiet"]
    paths = {**os.environ, "PATH": path_of_traps}
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
    assert {"skillbook/_extension/manifest.json", "skillbook/_extension/background.js"} <= assets
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


def test_the_doctor_needs_neither_node_nor_git_nor_make(
    programs: Path, path_of_traps: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path_of_traps)
    assert "extension" in run(programs / "skillbook", "doctor", "--no-launch", cwd=tmp_path)


@pytest.mark.browser
def test_the_demo_runs_from_the_wheel(programs: Path, tmp_path: Path) -> None:
    shown = run(programs / "skillbook", "demo", "--output", str(tmp_path / "out"), cwd=tmp_path)
    assert "skillbook serve --launch" in "\n".join(shown.splitlines()[-3:])
    made = {path.suffix for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert {".csv", ".parquet", ".md", ".yaml"} <= made
