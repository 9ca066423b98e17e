"""A skill's files: saving it, patching them, and writing it for other programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Self

from skillbook.errors import InvalidInput, InvalidSkill
from skillbook.skill.files.prompt_files import SUFFIX, read_prompt_file, write_prompt_file
from skillbook.skill.files.skill_folder import read_beside, read_skill, write_skill
from skillbook.skill.files.subskills import with_subskills
from skillbook.skill.model import SkillSpec
from skillbook.skill.playwright_export import to_playwright
from skillbook.skill.replay.skill_result import Patch
from skillbook.storage import storing


class StoredSkill(ABC):
    """The part of a skill that reads and writes its files."""

    spec: SkillSpec
    path: Path | None

    @property
    @abstractmethod
    def digest(self) -> str:
        """Hash of what it says."""

    @property
    @abstractmethod
    def approved(self) -> bool:
        """Whether it may run."""

    @abstractmethod
    def approve(self) -> Self:
        """Approve this version."""

    @abstractmethod
    def _like(self, spec: SkillSpec, path: Path | None, *, foreign: bool | None = None) -> Self:
        """This skill with another text or place."""

    @property
    def changed_on_disk(self) -> bool:
        """Whether its files say something else by now."""
        if self.path is None:
            return False
        reader = read_prompt_file if self.path.name.endswith(SUFFIX) else read_skill
        return reader(self._folder()).digest != self.digest

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
        if self.approved:
            self.approve()
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
        changed = self._like(spec, None, foreign=not self.approved)
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
