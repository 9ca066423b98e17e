"""The library: every skill in the folders that are searched, broken ones too, and which fit a goal or a page."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from skillbook.config import load_settings, skill_folders
from skillbook.errors import InvalidSkillName, SkillbookError, SkillNotFound
from skillbook.goals.goal_words import likeness
from skillbook.io_thread import io
from skillbook.perception.escape import html_table, text_table
from skillbook.perception.summary import PageSummary
from skillbook.policy.urls import origin_of
from skillbook.session.page_driver import driver_of
from skillbook.skill.builtin import BUILTIN, builtin_skill
from skillbook.skill.builtin.builtin_skill import Refusal
from skillbook.skill.builtin.running import Builtin
from skillbook.skill.facade import Skill
from skillbook.skill.files.skill_folder import REPLAY_FILE, SKILL_FILE, read_skill
from skillbook.skill.files.stored_skill import SUFFIX, read_prompt_file
from skillbook.skill.hint_library import HintLibrary
from skillbook.skill.model.inputs import insert_button, local_origin
from skillbook.skill.model.skill_prose import edits_without_effect
from skillbook.skill.model.spec import SkillSpec
from skillbook.skill.model.spec_base import check_name
from skillbook.skill.model.templates import fill_text, placeholders
from skillbook.skill.proof.skill_proof import last_proof
from skillbook.skill.replay.skill_run import PromptRunner

_LEAST = 0.34
_ELSEWHERE = 0.4
_SITE_FITS, _BUILTIN_FITS, _ANYWHERE_FITS = 0.8, 0.6, 0.3


@dataclass(frozen=True)
class SkillMatch:
    """A skill that may reach a goal.

    kind: `saved` or `built-in`.
    confidence: 0 to 1: how surely it is meant and can be run on the page.
    params: the inputs that the goal names.
    missing: required inputs that it doesn't name.
    """

    name: str
    kind: str
    confidence: float
    params: Mapping[str, Any]
    missing: tuple[str, ...] = ()
    why: str = ""
    skill: Skill | Builtin = field(default=None, repr=False)  # type: ignore[assignment]

    def run(self, page: Any, **more: Any) -> Any:
        """Run it with what the goal named, and whatever else is given; see the skill's `run`."""
        return self.skill.run(page, **{**self.params, **more})


def rank_saved(skill: Skill, summary: PageSummary, goal: str) -> SkillMatch | None:
    """A saved skill by what its name and description share with the goal, and where it begins."""
    about = likeness(f"{skill.name.replace('-', ' ')} {skill.description}", goal)
    if about < _LEAST:
        return None
    begins = skill.spec.start
    fixed = begins is not None and next(placeholders(begins), None) is None
    here = not fixed or origin_of(str(begins)) == origin_of(summary.url)
    missing = tuple(one.name for one in skill.inputs if one.required and one.default is None)
    sure = about * (1.0 if here else _ELSEWHERE) * (0.7 if missing else 1.0)
    why = f"{about:.0%} of the goal's words are its own" + ("" if here else "; it begins on another site")
    return SkillMatch(skill.name, "saved", round(sure, 3), {}, missing, why, skill)


def rank_builtin(skill: Builtin, summary: PageSummary, goal: str) -> SkillMatch | None:
    """A built-in skill by whether the goal is of its kind, and whether it binds to the page."""
    params = skill.params_of(goal)
    if params is None:
        return None
    missing = tuple(one.name for one in skill.inputs if one.required and params.get(one.name) in (None, ""))
    sure = skill.match(summary, params)
    bound = skill.bind(summary, params)
    why = bound.reason if isinstance(bound, Refusal) else f"it binds to {', '.join(bound.nodes)}"
    return SkillMatch(skill.name, skill.kind, round(sure, 3), params, missing, why, skill)


def fit_to_page(skill: Skill | Builtin, summary: PageSummary) -> tuple[float | None, str]:
    """How well a skill fits a page that is open, 0 to 1, and why; None where it isn't made for such a page.

    Nothing is known of a goal: what counts is where a saved skill was made, and whether a built-in one finds its
    controls.
    """
    if isinstance(skill, Builtin):
        try:
            bound = skill.bind(summary, {})
        except (KeyError, TypeError, AttributeError):  # it needs to know more before it looks
            return None, ""
        if isinstance(bound, Refusal):
            return None, ""
        return (
            _BUILTIN_FITS,
            f"this page has {', '.join(bound.nodes)}" if bound.nodes else "it fits this page",
        )
    here = origin_of(summary.url)
    local = {one.name: local_origin(summary.url) for one in skill.spec.inputs if one.from_page}
    begins = _filled(skill.spec.start or "", local)
    if begins and begins.split("?")[0] == summary.url.split("?")[0]:
        return 1.0, "it begins on this page"
    known = {
        origin_of(address) for address in [begins, *(_filled(one, local) for one in skill.spec.all_origins)]
    }
    if here is not None and here in known:
        return _SITE_FITS, "it was made for this site"
    return (None, "") if known - {None} else (_ANYWHERE_FITS, "it runs on any page")


def _filled(address: str, local: Mapping[str, str]) -> str:
    """An address with the page's origin where it names that; empty where it needs an input that nobody gave."""
    names = {one.name for one in placeholders(address)}
    return (
        fill_text(address, dict(local))
        if names <= local.keys() and all(local[name] for name in names)
        else ""
    )


def default_folders() -> tuple[Path, ...]:
    """`skills` in the working folder, then the user's."""
    return skill_folders(load_settings().home)


HEAD = ("name", "kind", "inputs", "last", "description")
Folders = Path | str | Sequence[Path | str] | None


class Entry(NamedTuple):
    """One skill on disk: its name, its place, and what was read or what is wrong."""

    name: str
    path: Path
    spec: SkillSpec | None
    error: SkillbookError | None

    @property
    def kind(self) -> str:
        """`replay` for recorded steps, `prompt` for an agent's, `broken` where it can't be read."""
        if self.spec is None:
            return "broken"
        return "replay" if self.spec.replays else "prompt"


class Library:
    """The skills of some folders; a mapping by name that reads the disk at every access.

    Parameters
    ----------
    folders : searched in this order; the first skill of a name counts. A folder that is missing is empty. By
        default `skills` in the working folder, then `skills` in the settings' `home`; then the built-in skills
        belong to it too, but for those whose name a saved skill has.
    prompt_runner : runs skills that are prompts only.
    with_builtin : whether the built-in skills belong to given folders, too.
    """

    def __init__(
        self,
        folders: Folders = None,
        prompt_runner: PromptRunner | None = None,
        *,
        with_builtin: bool = False,
    ) -> None:
        several = [folders] if isinstance(folders, str | Path) else folders
        self._folders = None if several is None else tuple(Path(folder) for folder in several)
        self._with_builtin = with_builtin or several is None
        self._prompt_runner = prompt_runner

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders it reads."""
        return default_folders() if self._folders is None else self._folders

    @property
    def entries(self) -> list[Entry]:
        """Every skill, broken ones too, by name."""
        found: dict[str, Entry] = {}
        for entry in self._read():
            found.setdefault(entry.name, entry)
        return [found[name] for name in sorted(found)]

    def _read(self) -> list[Entry]:
        """What is in the folders, in their order; of a name there may be several."""
        return [entry for folder in self.folders for entry in _read_folder(folder)]

    @property
    def saved(self) -> list[Skill]:
        """The skills on disk that can be read, by name."""
        return [self._skill(entry, entry.spec) for entry in self.entries if entry.spec is not None]

    def _skill(self, entry: Entry, spec: SkillSpec) -> Skill:
        return Skill(spec, entry.path, prompt_runner=self._prompt_runner)

    @property
    def builtin(self) -> list[Builtin]:
        """The built-in skills that belong to it, by name."""
        if not self._with_builtin:
            return []
        saved = {entry.name.replace("-", "_") for entry in self.entries}
        return [Builtin(BUILTIN[name]()) for name in sorted(BUILTIN) if name not in saved]

    @property
    def hints(self) -> HintLibrary:
        """What is known of single sites, in `hints` of the default folders: shown, switched on and off here."""
        return HintLibrary(default_folders())

    def match(self, page: Any, goal: str) -> list[SkillMatch]:
        """The skills that may reach a goal on a page, the surest first; nothing is run.

        Parameters
        ----------
        page : object
            A `Page` of either twin.
        goal : str
            As a person would say it: "search for lamps", "log in".

        Returns
        -------
        list of SkillMatch
            The skills, with how sure each is and why.
        """
        return io.sync(self.rank(page, goal))

    async def amatch(self, page: Any, goal: str) -> list[SkillMatch]:
        """Like `match`, awaitable from any loop."""
        return await io.wait(self.rank(page, goal))

    async def rank(self, page: Any, goal: str) -> list[SkillMatch]:
        """Like `match`, on skillbook's own thread."""
        driver = driver_of(page)
        summary = driver.summarize(await driver.snapshot())
        with driver.measured("ranking"):
            found = [rank_saved(skill, summary, goal) for skill in self.saved]
            found += [rank_builtin(skill, summary, goal) for skill in self.builtin]
        return sorted((one for one in found if one is not None), key=lambda one: -one.confidence)

    def load(self, name: str) -> Skill | Builtin:
        """Load a skill by name.

        Parameters
        ----------
        name : str
            The skill's name.

        Returns
        -------
        Skill or Builtin
            The skill.

        Raises
        ------
        SkillNotFound
            No skill of that name.
        InvalidSkill
            It is broken.
        InvalidSkillName
            No name at all.
        """
        if builtin_skill(name) is not None:
            for one in self.builtin:
                if name in {one.name, one.name.replace("_", "-")}:
                    return one
        return self.load_saved(check_name(name))

    def load_saved(self, name: str) -> Skill:
        """Load a skill that is in one of the folders; see `load`.

        Parameters
        ----------
        name : str
            The skill's name.

        Returns
        -------
        Skill
            The skill.
        """
        same = [entry for entry in self._read() if entry.name == name]
        if not same:
            listed = ", ".join(self) or "none"
            places = ", ".join(str(folder) for folder in self.folders)
            raise SkillNotFound(
                f"there is no skill {name!r} in {places}", hint=f"there are: {listed}", name=name
            )
        first, *others = same
        if first.spec is None:
            raise first.error or SkillNotFound(f"there is no skill {name!r}")
        # A folder of somebody else's never takes the place of the person's own skill without a word.
        for other in others:
            if other.spec is not None and other.spec.digest != first.spec.digest:
                warnings.warn(
                    f"{first.path} is loaded; another skill {name} is at {other.path}: "
                    "load it by its path, or rename one of them",
                    stacklevel=2,
                )
        return self._skill(first, first.spec)

    def __getitem__(self, name: str) -> Skill | Builtin:
        return self.load(name)

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __iter__(self) -> Iterator[str]:
        return iter([*(entry.name for entry in self.entries), *(one.name for one in self.builtin)])

    def __len__(self) -> int:
        return len(self.entries) + len(self.builtin)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        if not len(self):
            return f"<Library {', '.join(str(folder) for folder in self.folders)}: no skills>"
        return text_table([HEAD, *self.rows()])

    def _repr_html_(self) -> str:
        inputs = {each.name: each.spec.inputs for each in self.entries if each.spec}
        inputs |= {one.name: one.inputs for one in self.builtin}
        rows = self.rows()
        buttons = (insert_button(name, inputs[name]) if name in inputs else "" for name, *_ in rows)
        return html_table(HEAD, rows, buttons)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Name, kind, inputs, last result and description of each, as one-line texts."""
        rows: list[tuple[str, str, str, str, str]] = []
        home = load_settings().home
        for entry in self.entries:
            if entry.spec is None:
                # The folder goes first: what is wrong must not be cut off behind a long path.
                wrong = entry.error.message.replace(f"{entry.path.parent}/", "") if entry.error else ""
                rows.append((_plain(entry.name), entry.kind, "", "", _plain(wrong)))
            else:
                inputs = ", ".join(one.name for one in entry.spec.inputs)
                proof = last_proof(home, entry.spec.digest)
                last = f"{proof.status} {proof.at[:10]}" if proof else ""
                rows.append((entry.name, entry.kind, inputs, last, _plain(entry.spec.description)))
        for one in self.builtin:
            rows.append(
                (one.name, one.kind, ", ".join(each.name for each in one.inputs), "", one.description)
            )
        return rows


def _plain(text: str) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= 100 else line[:99] + "…"


def _read_folder(folder: Path) -> Iterator[Entry]:
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.name.endswith(SUFFIX):
            yield _entry(path.name.removesuffix(SUFFIX), path)
        elif path.is_symlink() or (path.is_dir() and (path / SKILL_FILE).exists()):
            yield _entry(path.name, path)


def _entry(name: str, path: Path) -> Entry:
    try:
        spec = read_path(path)
    except SkillbookError as error:
        return Entry(name, path, None, error)
    return Entry(spec.name, path, spec, None)


def _both(library: Library) -> set[str]:
    """The names of the library's built-in skills, with hyphens too."""
    return {name for one in library.builtin for name in (one.name, one.name.replace("_", "-"))}


def read_path(path: Path) -> SkillSpec:
    """Read a skill's folder, its SKILL.md, or a prompt file."""
    if path.name.endswith(SUFFIX):
        return read_prompt_file(path)
    return read_skill(path.parent if path.name == SKILL_FILE else path)


def load_skill(
    name_or_path: str | Path,
    folders: Folders = None,
    prompt_runner: PromptRunner | None = None,
    approve: bool = False,
) -> Skill | Builtin:
    """Load a skill by name from the library's folders, or from a path. Nothing of it is run.

    Parameters
    ----------
    name_or_path : str or Path
        A skill's name, its folder, its SKILL.md, or a `.prompt.md` file.
    folders : Folders, optional
        Where names are looked up.
    prompt_runner : PromptRunner, optional
        Runs skills that are prompts only.
    approve : bool
        Approve what the skill says now, as `skill.approve()` does; you know what is in it.

    Returns
    -------
    Skill or Builtin
        A `Skill`, or a `Builtin` where no saved skill has the name of a built-in one.

    Raises
    ------
    SkillNotFound, InvalidSkill, InvalidSkillName
        There is none of that name, or its files can't be read.

    Examples
    --------
    >>> skill = sb.load_skill("search")  # doctest: +SKIP
    >>> skill.run(page, query="lamp").ok  # doctest: +SKIP
    """
    skill = _load(name_or_path, folders, prompt_runner)
    if isinstance(skill, Skill) and (edits := edits_without_effect(skill.spec)):
        warnings.warn(
            f"{skill.name}: SKILL.md was edited, and {REPLAY_FILE} says what the skill does; edit that, too, or "
            f"record it again. {'; '.join(edits)}",
            stacklevel=2,
        )
    return skill.approve() if approve and isinstance(skill, Skill) else skill


def _is_path(text: str) -> bool:
    return any(separator in text for separator in ("/", "\\")) or text.endswith(".md")


def _load(name_or_path: str | Path, folders: Folders, prompt_runner: PromptRunner | None) -> Skill | Builtin:
    library = Library(folders, prompt_runner)
    if isinstance(name_or_path, str) and builtin_skill(name_or_path) and name_or_path in _both(library):
        return library.load(name_or_path)
    if isinstance(name_or_path, str):
        try:
            check_name(name_or_path)
        except InvalidSkillName:
            if "\0" in name_or_path or not (_is_path(name_or_path) or Path(name_or_path).exists()):
                raise
        else:
            return library.load(name_or_path)
    path = Path(name_or_path)
    if not path.exists():
        raise SkillNotFound(f"there is no {path}", file=str(path))
    return Skill(read_path(path), path, prompt_runner=prompt_runner)


skills = Library()
