"""A skill's files: saving it, patching them, and writing it for other programs, as prompt files of VS Code for one."""

from __future__ import annotations

import os
import re
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from skillbook.errors import InvalidInput, InvalidSkill, InvalidSkillName
from skillbook.skill.consent.consent_summary import Consent
from skillbook.skill.files.skill_folder import read_beside, read_skill, write_skill
from skillbook.skill.files.spec_reading import (
    Loc,
    dump_mapping,
    explain,
    read_text,
    refuse_field,
    split_document,
)
from skillbook.skill.files.subskills import with_subskills
from skillbook.skill.model.spec import SkillSpec, the_item
from skillbook.skill.model.spec_base import inputs_of_text, slug
from skillbook.skill.model.templates import placeholders
from skillbook.skill.playwright_export.playwright_script import to_playwright
from skillbook.skill.replay.skill_result import Patch
from skillbook.storage import storing

SUFFIX = ".prompt.md"
_TEXT_FIELDS = ("name", "description", "argument-hint", "agent", "mode", "model")
_KEPT = ("argument-hint", "agent", "model")
_PLAIN_INPUT = re.compile(r"\$\{input:(\w+)\}")
MAX_DESCRIPTION = 1024


def read_prompt_file(path: Path) -> SkillSpec:
    """Read a prompt file; the older `mode` counts as `agent`, tools may be a list or a text.

    Raises SkillNotFound: no such file. InvalidSkill, InvalidSkillName : it is broken.
    """
    document = split_document(read_text(path), path, required=False)
    found = document.fields
    for field in _TEXT_FIELDS:
        if field in found and not isinstance(found[field], str):
            raise refuse_field(path, field, "a string is wanted", "put the value in quotes")
    body = document.body.strip("\n")
    if not body.strip():
        raise InvalidSkill(f"{path}: the prompt is empty", hint="write what is to be done", file=str(path))
    title = found.get("name") or path.name.removesuffix(SUFFIX)
    name = slug(title)
    if not name:
        raise InvalidSkillName(
            f"{path}: {title!a} gives no skill name", hint="add a name to it", file=str(path)
        )
    metadata = {field: found[field] for field in _KEPT if found.get(field)}
    if "agent" not in metadata and found.get("mode"):
        metadata["agent"] = found["mode"]
    if title != name:
        metadata["title"] = title
    try:
        return SkillSpec(
            name=name,
            description=found.get("description") or _first_line(body) or name,
            body=body,
            inputs=inputs_of_text(body, []),
            metadata=metadata,
            allowed_tools=_tools(found.get("tools"), path),
        )
    except ValidationError as error:
        raise explain(error, path, document.yaml, 2, _place) from None


def _place(loc: Loc) -> Loc:
    return ("tools", *loc[1:]) if loc[:1] == ("allowed_tools",) else loc


def _tools(value: Any, path: Path) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [part for part in re.split(r"[\s,]+", value.strip("[] ")) if part]
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return list(value)
    raise refuse_field(
        path, "tools", "a list of names is wanted", "write, for example, tools: ['snapshot', 'click']"
    )


def _first_line(body: str) -> str:
    lines = (line.strip().lstrip("#").strip() for line in body.splitlines())
    return next((line for line in lines if line), "")[:MAX_DESCRIPTION]


def prompt_text(spec: SkillSpec) -> str:
    """A skill as a prompt file: placeholders carry their descriptions, the frontmatter is VS Code's."""
    fields: dict[str, Any] = {"name": spec.name, "description": spec.description}
    fields |= {key: spec.metadata[key] for key in _KEPT if key in spec.metadata}
    if spec.allowed_tools:
        fields["tools"] = list(spec.allowed_tools)
    shown = {one.name: _hint(one.description) for one in spec.inputs}
    body = _PLAIN_INPUT.sub(
        lambda found: (
            the_item(found[1])
            if found[1] in spec.item_names
            else _with_hint(found[1], shown.get(found[1], ""))
        ),
        spec.body,
    )
    named = {one.name for one in placeholders(body)}
    missing = [one for one in spec.inputs if one.name not in named]
    if missing:
        lines = [f"- {one.name}: {_with_hint(one.name, shown[one.name])}" for one in missing]
        body = "\n".join([body, "", "Inputs:", "", *lines])
    return f"---\n{dump_mapping(fields)}---\n\n{body}\n"


def _hint(text: str) -> str:
    return re.sub(r"[{}\s]+", " ", text).strip()


def _with_hint(name: str, hint: str) -> str:
    return f"${{input:{name}:{hint}}}" if hint else f"${{input:{name}}}"


def write_prompt_file(spec: SkillSpec, path: Path) -> Path:
    """Write a skill as a prompt file in one go, and return its path.

    path: the file, or the folder to put `NAME.prompt.md` into.
    """
    if path.is_dir():
        path = path / f"{spec.name}{SUFFIX}"
    elif not path.name.endswith(SUFFIX):
        raise InvalidSkill(f"{path} is no name of a prompt file", hint=f"end it with {SUFFIX}")
    with storing(path):
        handle, fresh = tempfile.mkstemp(prefix=f".{spec.name}-", suffix=".new", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(prompt_text(spec).encode("utf-8"))
                stream.flush()
                os.fsync(stream.fileno())
            Path(fresh).chmod(0o644)
            Path(fresh).replace(path)
        except BaseException:
            Path(fresh).unlink(missing_ok=True)
            raise
    return path


class StoredSkill(ABC):
    """The part of a skill that reads and writes its files."""

    spec: SkillSpec
    path: Path | None
    _consent: Consent

    @abstractmethod
    def _like(self, spec: SkillSpec, path: Path | None, *, foreign: bool | None = None) -> Self:
        """This skill with another text or place."""

    @property
    def changed_on_disk(self) -> bool:
        """Whether its files say something else by now."""
        if self.path is None:
            return False
        reader = read_prompt_file if self.path.name.endswith(SUFFIX) else read_skill
        return reader(self._folder()).digest != self.spec.digest

    def with_skills_of(self, folder: Path | str) -> Self:
        """Put the steps of the skills that it runs in, as they are in a library's folder.

        Parameters
        ----------
        folder : str or Path
            The library's folder.

        Returns
        -------
        Skill
            Another skill, which runs no others.

        Raises
        ------
        InvalidSkill
            One isn't there, is a prompt, or doesn't get the inputs that it needs.
        """
        spec = with_subskills(
            self.spec, lambda name: read_beside(Path(folder) / self.spec.name, (self.spec.name,), name)
        )
        return self._like(spec, self.path)

    def save(self, folder: Path | str = "skills", *, overwrite: bool = True) -> Self:
        """Write the skill as a folder of files.

        Parameters
        ----------
        folder : str or Path
            Where skills are; its own folder in it has its name.
        overwrite : bool
            Replace a skill of that name.

        Returns
        -------
        Skill
            The saved skill; one that was made here may run from there.

        Raises
        ------
        InvalidSkill
            There is one of that name and `overwrite` is false.
        InvalidSkillName
            The name can't be a skill's.
        """
        path = write_skill(self.spec, Path(folder), overwrite=overwrite)
        if self._consent.is_given:
            self._consent.give()
        return self._like(self.spec, path)

    def apply(self, patch: Patch | None) -> Self:
        """Make a replay's proposed changes, also in the skill's files.

        Parameters
        ----------
        patch : Patch
            What `result.patch` is after a run that healed.

        Returns
        -------
        Skill
            The changed skill.

        Raises
        ------
        InvalidInput
            There is no patch, since the run healed nothing.
        InvalidSkill
            The patch is for another version of the skill, or the files changed since it was loaded.
        """
        if patch is None:
            raise InvalidInput("there is nothing to apply: the run healed nothing", hint="`if result.patch:`")
        spec = patch.apply_to(self.spec)
        changed = self._like(spec, None, foreign=not self._consent.is_given)
        if self.path is None:
            return changed
        if self.changed_on_disk:
            raise InvalidSkill(
                f"{self.path} was changed since it was loaded", hint="load it again and run it"
            )
        return changed.save(self._folder().parent)

    def export_prompt(self, path: Path | str) -> Path:
        """Write the skill as a VS Code prompt file.

        Parameters
        ----------
        path : str or Path
            A name ending in `.prompt.md`, or a folder.

        Returns
        -------
        Path
            The file.
        """
        return write_prompt_file(self.spec, Path(path))

    def to_playwright(self, path: Path | str | None = None) -> str:
        """Write the skill as a Python script for Playwright, with role locators, its inputs as arguments.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it, too.

        Returns
        -------
        str
            The script.

        Raises
        ------
        InvalidSkill
            It is a prompt, or a step or a call of its code has nothing like it in Playwright; the error says which.
        """
        text = to_playwright(self.spec)
        if path is not None:
            with storing(path):
                Path(path).write_text(text, encoding="utf-8")
        return text

    def _folder(self) -> Path:
        assert self.path is not None
        return self.path.parent if self.path.name == "SKILL.md" else self.path
