"""Installs the applications that tests drive into tests/apps/installed; run by `make test`, idempotent.

swagger-ui-dist, Shoelace, AG Grid, FullCalendar, Ant Design and MCP's conformance suite come from npm, MiniWoB++,
Django, Jupyter Server's API description and a few web applications from PyPI, jQuery UI's demos and Python's
documentation from Debian's packages.
What can't be had is left out, and its tests say so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
INSTALLED = HERE / "installed"
WHEELS = {
    "miniwob": ("miniwob==1.1.0",),
    "jupyter_server": ("jupyter_server==2.17.0",),
    "django": ("django==5.2.8", "asgiref==3.13.0", "sqlparse==0.6.1"),
}
DEBIAN = (
    "libjs-jquery-ui-docs",
    "libjs-jquery-ui",
    "libjs-jquery",
    "libjs-jquery-mousewheel",
    "node-requirejs",
)
WEB_APPS = (
    "datasette==0.65.5",
    "flask-admin==2.2.1",
    "flask-sqlalchemy==3.1.1",
    "sqlite-web==0.8.2",
    "radicale==3.9.0",
    "mkdocs==1.6.1",
    "klaus==3.0.1",
    "setuptools<81",
)
MORE = (
    "sqladmin==0.32.0",
    "sqlalchemy==2.0.36",
    "uvicorn==0.54.0",
    "roundup==2.6.0",
    "otterwiki==2.26.1",
)
WIKI = ("moin==2.0.0b5", "setuptools<81")
# Which Python's documentation there is depends on the release of Debian or Ubuntu.
PYTHON_DOCS = tuple(f"python3.{minor}-doc" for minor in (11, 12, 13, 14))


def run(*command: str, cwd: Path | None = None) -> bool:
    """Run a program quietly; says whether it worked."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{command[0]} failed: {done.stderr.strip()[-300:]}", file=sys.stderr)
    return done.returncode == 0


def install_npm() -> bool:
    """The npm packages, as the lock file names them."""
    npm = shutil.which("npm")
    return bool(npm) and run(npm, "ci", "--loglevel=error", cwd=HERE)


def install_wheels(name: str, requirements: tuple[str, ...]) -> bool:
    """Wheels' files in one folder, without their dependencies."""
    with tempfile.TemporaryDirectory() as folder:
        pip = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, *requirements)
        if not run(*pip):
            return False
        for wheel in Path(folder).glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(INSTALLED / name)
    return True


def unpack_debian(package: str, target: Path) -> bool:
    """One Debian package's files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        if not run("apt-get", "download", "-q=2", package, cwd=folder):
            run("apt-get", "update", "-q=2")
            if not run("apt-get", "download", "-q=2", package, cwd=folder):
                return False
        return all(run("dpkg", "-x", str(file), str(target)) for file in folder.glob("*.deb"))


def install_programs(name: str, requirements: tuple[str, ...]) -> bool:
    """Web applications with their dependencies, in a folder of their own that `web_apps.py` runs from."""
    target = ("--upgrade", "--target", str(INSTALLED / name))
    return run(sys.executable, "-m", "pip", "install", "-q", *target, *requirements)


def install_docs() -> bool:
    """Python's documentation, of the first version that there is."""
    if not shutil.which("apt-cache") or not shutil.which("dpkg"):
        return False
    shown = subprocess.run(
        ["apt-cache", "pkgnames", "python3."], capture_output=True, text=True, check=False
    ).stdout.split()
    there = [package for package in PYTHON_DOCS if package in shown]
    return bool(there) and unpack_debian(there[0], INSTALLED / "debian")


def install_debian() -> bool:
    """Debian packages' files, unpacked without installing them."""
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        return False
    target = INSTALLED / "debian"
    if not all(unpack_debian(package, target) for package in DEBIAN):
        return False
    link = target / "usr/share/nodejs/require.js"
    if not link.exists():
        link.symlink_to("requirejs/require.js")
    themes = target / "usr/share/javascript/jquery-ui/themes/base"
    if not themes.exists():
        css = next(
            path for path in (target / "usr/share/javascript/jquery-ui/css").iterdir() if path.is_dir()
        )
        themes.parent.mkdir(parents=True, exist_ok=True)
        themes.symlink_to(css)
    return True


def main() -> int:
    """Install what is missing."""
    INSTALLED.mkdir(exist_ok=True)
    parts = {"npm": install_npm, "debian": install_debian, "docs": install_docs}
    parts |= {
        name: lambda n=name, r=requirement: install_programs(n, r)
        for name, requirement in (("web", WEB_APPS), ("more", MORE), ("moin", WIKI))
    }
    parts |= {
        name: lambda n=name, r=requirement: install_wheels(n, r) for name, requirement in WHEELS.items()
    }
    for name, install in parts.items():
        stamp = INSTALLED / f".{name}.ok"
        wanted = (HERE / "package-lock.json").read_text(encoding="utf-8") if name == "npm" else ""
        if (not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted) and install():
            stamp.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
