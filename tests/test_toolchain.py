"""What the repository promises about itself: short functions, complete packaging, locks that hold for everybody."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LONGEST = 60
"""Lines of a function, as Biome checks TypeScript. Import circles are checked separately in both languages:
`circles` in pyproject.toml, `noImportCycles` in extension/biome.json."""


def hand_written() -> list[str]:
    """The Python files of the checkout that a person wrote, tracked or about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [name for name in listed if (ROOT / name).is_file()]


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many lines a function has, its docstring aside."""
    first = function.body[0]
    documented = ast.get_docstring(function) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def test_functions_are_short() -> None:
    files = hand_written()
    assert len(files) > 20
    long = {
        f"{name}: {node.name}"
        for name in files
        for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and lines_of(node) > LONGEST
    }
    assert long == set()


NAMESAKES = {
    "aio": "what users import; where it is written",
    "cassette": "the module of the package's one class",
    "cells": "programs that a model writes; what a row of a table has",
    "generate": "what `python -m` runs, in protocol and in lexicon",
    "model": "the base of what crosses the wire; the folder that says what a skill is",
    "snapshot": "as it crosses the wire; as it is read",
    "page": "what a session knows of a tab; what the panel shows of it",
    "records": "what the journal keeps of a step; which record of a page an element is in",
    "targets": "what an action is aimed at; how a skill finds it again",
}
"""Names that stand twice, and why each says enough."""


def test_a_files_name_says_its_idea_without_its_folder() -> None:
    names: dict[str, list[str]] = {}
    for path in (ROOT / "skillbook").rglob("*"):
        listed = path.suffix == ".py" and path.stem != "__init__" and path.parent.name not in {"aio", "sync"}
        if listed or (path / "__init__.py").exists():
            names.setdefault(path.stem, []).append(str(path.relative_to(ROOT)))
    double = {name: places for name, places in names.items() if len(places) > 1}
    assert {name: double[name] for name in double.keys() - NAMESAKES.keys()} == {}
    assert NAMESAKES.keys() - double.keys() == set()


DEVELOPED_WITH = ("test", "lab", "dev", "docs")
"""The extras that requirements-dev.txt has."""


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def locked() -> dict[str, dict[str, Any]]:
    """What uv.lock says of each package and version."""
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    return {f"{one['name']}=={one['version']}": one for one in lock["package"]}


def test_what_is_developed_with_is_locked(project: dict[str, Any]) -> None:
    """Each package that pyproject.toml names for development is there, in a version that it allows, from no host."""
    extras = project["optional-dependencies"]
    named = [*project["dependencies"], *(one for extra in DEVELOPED_WITH for one in extras[extra])]
    lock = pinned()
    assert [str(one) for one in lock if one.url is not None] == []
    versions = {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in lock}
    wanted = [Requirement(one) for one in named]
    assert [
        str(one)
        for one in wanted
        if not one.specifier.contains(versions.get(canonicalize_name(one.name), "0"))
    ] == [], "run `make lock`"


def pinned() -> list[Requirement]:
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if not line.lstrip().startswith("#")]


def test_the_two_locks_agree(locked: dict[str, dict[str, Any]]) -> None:
    names = [f"{canonicalize_name(one.name)}{one.specifier}" for one in pinned()]
    assert len(names) > 100
    assert [name for name in names if name not in locked] == [], "run `make lock`"


def test_the_lock_is_of_todays_requirements(
    project: dict[str, Any], locked: dict[str, dict[str, Any]]
) -> None:
    """As `uv lock --check` compares them, without uv."""
    mine = locked[f"skillbook=={project['version']}"]
    extras = {name: requirements(lines) for name, lines in project["optional-dependencies"].items()}
    said: dict[str, set[tuple[str, str]]] = {"": set(), **{name: set() for name in extras}}
    for one in mine["metadata"]["requires-dist"]:
        extra = re.fullmatch(r"extra == '(.+)'", one.get("marker", ""))
        said[extra[1] if extra else ""].add((one["name"], str(SpecifierSet(one.get("specifier", "")))))
    assert said == {"": requirements(project["dependencies"]), **extras}, "run `uv lock`"


def requirements(lines: list[str]) -> set[tuple[str, str]]:
    parsed = [Requirement(line) for line in lines]
    return {(canonicalize_name(one.name), str(one.specifier)) for one in parsed}


def test_the_lock_names_pypi_alone_and_a_hash_of_each_file(locked: dict[str, dict[str, Any]]) -> None:
    """No mirror of whoever ran `make lock`; what is downloaded is what was tested."""
    others = {name: one for name, one in locked.items() if not name.startswith("skillbook==")}
    assert {one["source"].get("registry") for one in others.values()} == {"https://pypi.org/simple"}
    files = [file for one in others.values() for file in (*one.get("wheels", ()), one.get("sdist")) if file]
    assert len(files) > 1000
    elsewhere = [one["url"] for one in files if urlsplit(one["url"]).hostname != "files.pythonhosted.org"]
    assert elsewhere == []
    assert [one["url"] for one in files if not re.fullmatch("sha256:[0-9a-f]{64}", one["hash"])] == []


def test_the_lock_file_names_no_host() -> None:
    lock = json.loads((ROOT / "extension" / "package-lock.json").read_text(encoding="utf-8"))
    assert len(lock["packages"]) > 20
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []


def test_what_is_generated_is_not_committed() -> None:
    generated = [
        "skillbook/session/aio",
        "skillbook/session/sync",
        "skillbook/serving/terminal/known_verbs.json",
        "extension/src/protocol/generated.ts",
        "extension/src/shared/secret_words.ts",
        "extension/src/shared/record_table.ts",
    ]
    assert [path for path in generated if not (ROOT / path).exists()] == [], "run `make generate`"
    listed = subprocess.run(
        ["git", "ls-files", *generated], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert listed.stdout == ""


def test_no_private_key_is_committed() -> None:
    listed = subprocess.run(
        ["git", "grep", "-lI", "PRIVATE " + "KEY-----"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    assert listed == ""


@pytest.mark.parametrize(
    "verb",
    [
        "demo",
        "test",
        "test-fast",
        "test-lowest",
        "test-newest",
        "check",
        "fmt",
        "generate",
        "lock",
        "bench",
        "build",
        "docs",
        "extension-zip",
        "lab",
    ],
)
def test_make_knows_the_verb(verb: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", verb], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_make_test_begins_with_make_check() -> None:
    rules = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(
        r"^test:.*\n(?:\t@#.*\n)*\t\$\(MAKE\) check & checking=.*; wait \$\$checking$", rules, re.M
    )


SCHEMAS = {
    "vendor.github-workflows": ".github/workflows/*.yml",
    "vendor.github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "vendor.github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "vendor.dependabot": ".github/dependabot.yml",
    "vendor.citation-file-format": "CITATION.cff",
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_what_others_read_has_their_schema(schema: str) -> None:
    files = [str(path) for path in sorted(ROOT.glob(SCHEMAS[schema]))]
    assert files
    done = CliRunner().invoke(check_jsonschema, ["--builtin-schema", schema, *files])
    assert done.exit_code == 0, done.output


def test_workflows_may_only_read_and_call_verbs_that_there_are() -> None:
    """Every job that may more says so itself."""
    verbs = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert len(workflows) == 5
    for path in workflows:
        text = path.read_text(encoding="utf-8")
        assert yaml.safe_load(text)["permissions"] == {"contents": "read"}, path.name
        assert set(re.findall(r"run: make ([a-z-]+)", text)) - verbs == set(), path.name


def test_every_place_that_names_the_version_names_the_same() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    done = subprocess.run(
        [sys.executable, ".github/check_version.py", f"v{version}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_ci_calls_make_test_and_nothing_else() -> None:
    script = ROOT / ".ci" / "run"
    lines = [line for line in script.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    assert lines == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "exec make test"]
    assert script.stat().st_mode & 0o111
