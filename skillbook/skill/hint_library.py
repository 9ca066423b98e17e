"""The site hints of a library: their files, one small YAML for an origin; one table; switched on and off there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from skillbook.config import load_settings, skill_folders
from skillbook.errors import InvalidSkill, SelectorSyntaxError, SkillbookError, SkillNotFound
from skillbook.perception.escape import clean, html_table, shorten, text_table
from skillbook.perception.selectors import Selector, parse_selector
from skillbook.perception.site_hints import LONGEST_NAME, LONGEST_SELECTOR, SiteHints
from skillbook.policy.urls import origin_of
from skillbook.skill.consent.consent_summary import forget, may_run, remember
from skillbook.skill.files.spec_reading import dump_mapping, explain, load_mapping, read_text
from skillbook.skill.model.spec_steps import StepTarget
from skillbook.skill.model.templates import placeholders, unescape
from skillbook.skill.replay.skill_result import Patch
from skillbook.storage import storing

FOLDER, SUFFIX = "hints", ".yaml"
MOST_CHARACTERS = 20_000


def hint_file(folder: Path, origin: str) -> Path:
    """Where a folder of skills has the hints of an origin: `hints/https-shop.example.yaml`."""
    name = re.sub(r"[^a-z0-9.-]+", "-", origin.replace("://", "-"))
    return folder / FOLDER / f"{name}{SUFFIX}"


def read_hints(path: Path) -> SiteHints:
    """Read a file of hints, which anybody may have written.

    Raises SkillNotFound: there is no such file.
    Raises InvalidSkill: no YAML, unknown fields, no selectors, too large, or another origin than the file's name says.
    """
    text = read_text(path)
    if len(text) > MOST_CHARACTERS:
        raise InvalidSkill(
            f"{path} has more than {MOST_CHARACTERS:,} characters", hint="keep it small", file=str(path)
        )
    data = load_mapping(text, str(path))
    try:
        hints = SiteHints.model_validate(data)
    except ValidationError as error:
        raise explain(error, path, text, first_line=1) from None
    check_hints(hints, path)
    if path != hint_file(path.parent.parent, hints.origin):
        raise InvalidSkill(
            f"{path} is not named after its origin {hints.origin}",
            hint=f"call it {hint_file(Path(), hints.origin).name}",
            file=str(path),
        )
    return hints


def check_hints(hints: SiteHints, path: Path) -> None:
    """Refuse hints without a site's origin, and selectors that can't be used.

    Raises InvalidSkill: with what is wrong.
    """
    if origin_of(hints.origin) != hints.origin:
        raise InvalidSkill(
            f"{path}: {hints.origin!r} is no origin", hint="write it as https://example.com", file=str(path)
        )
    for text in hints.selectors:
        try:
            parsed = parse_selector(text)
        except SelectorSyntaxError as error:
            raise InvalidSkill(f"{path}: {error.message}", hint=error.hint or "", file=str(path)) from None
        if _counts(parsed):
            raise InvalidSkill(
                f"{path}: {text!r} counts elements, and would mean another one when the page changes",
                hint="name it by an id, a class, an address or what it is in",
                file=str(path),
            )


def write_hints(hints: SiteHints, folder: Path) -> Path:
    """Write hints into a folder of skills; returns the file.

    Raises InvalidSkill: no origin, or a selector that can't be used.
    """
    path = hint_file(folder, hints.origin)
    check_hints(hints, path)
    data: dict[str, Any] = {"origin": hints.origin, **hints.model_dump(mode="json", exclude_defaults=True)}
    with storing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dump_mapping(data), encoding="utf-8")
    return path


def digest_of(hints: SiteHints) -> str:
    """Hash of what they say; another one after any change."""
    return hashlib.sha256(f"hints {hints.model_dump_json()}".encode()).hexdigest()


def _counts(selector: Selector | None) -> bool:
    return selector is not None and (selector.nth is not None or _counts(selector.within))


_HEAD = ("origin", "state", "names", "pager", "ignore", "crawl_delay")
_LONGEST = 60


class HintEntry(NamedTuple):
    """One file of hints: the origin or else the file's name, and what was read or what is wrong."""

    origin: str
    path: Path
    hints: SiteHints | None
    error: SkillbookError | None


class HintLibrary:
    """What is known of single sites, by origin; `sb.skills.hints` has those that are applied.

    A file of hints does nothing until a person switches it on. What it said then is what counts: a file that was
    changed since is off.

    Parameters
    ----------
    folders : searched in this order for `hints/*.yaml`; the first file of an origin counts.

    Examples
    --------
    >>> sb.skills.hints.add("https://shop.example", names={"button[id=cart]": "Cart"})  # doctest: +SKIP
    >>> sb.skills.hints.off("https://shop.example")  # doctest: +SKIP
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)

    @property
    def entries(self) -> list[HintEntry]:
        """Every file of hints, broken ones too."""
        found: dict[str, HintEntry] = {}
        for folder in self._folders:
            for path in sorted((folder / FOLDER).glob(f"*{SUFFIX}")):
                found.setdefault(path.name, _entry(path))
        return list(found.values())

    def add(
        self,
        origin: str,
        *,
        names: Mapping[str, str] | None = None,
        pager: str | None = None,
        ignore: Iterable[str] | None = None,
        crawl_delay: float | None = None,
    ) -> SiteHints:
        """Write hints for an origin, add to those that are on, and switch them on.

        Parameters
        ----------
        origin : str
            The site's, such as `https://example.com`; an address of it does, too.
        names : dict of str to str, optional
            Names of controls that have none, by their selectors.
        pager : str, optional
            The selector of what leads to the next page.
        ignore : iterable of str, optional
            Selectors of parts of the page that aren't its content.
        crawl_delay : float, optional
            Seconds from one page to the next at least, 30 at most.

        Returns
        -------
        SiteHints
            All hints of the origin.

        Raises
        ------
        InvalidSkill
            A selector or name can't be used, or there are hints that nobody has switched on.
        """
        site = origin_of(origin) or origin
        known = SiteHints(origin=site[:300])
        folder = self._folders[0]
        if (there := self._path(site)) is not None:
            known, folder = read_hints(there), there.parent.parent
            if not self.is_on(known):
                raise InvalidSkill(
                    f"there are hints for {site} that are off: {there}",
                    hint=f"look at hints[{site!r}], then call hints.on({site!r}), or remove the file",
                    file=str(there),
                )
        given = {
            "names": {**known.names, **names} if names is not None else None,
            "pager": pager,
            "ignore": tuple(dict.fromkeys([*known.ignore, *ignore])) if ignore is not None else None,
            "crawl_delay": crawl_delay,
        }
        told = {name: value for name, value in given.items() if value is not None}
        try:
            hints = SiteHints.model_validate({**known.model_dump(), **told})
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(str(part) for part in fault["loc"])
            raise InvalidSkill(f"{where}: {fault['msg'].removeprefix('Value error, ')}") from None
        write_hints(hints, folder)
        if known != hints:
            forget(load_settings().home, digest_of(known))
        remember(load_settings().home, digest_of(hints))
        return hints

    def add_patch(self, patch: Patch) -> list[SiteHints]:
        """Add a name for each control that a healed step names no more, as its step was recorded with one.

        Parameters
        ----------
        patch : Patch
            What `result.patch` is after a run that healed.

        Returns
        -------
        list of SiteHints
            The hints of the origins concerned; empty if every healed control has a name.

        Raises
        ------
        InvalidSkill
            There are hints that nobody has switched on.
        """
        found: dict[str, dict[str, str]] = {}
        for change in patch.changes:
            origin = origin_of(change.url)
            named = _lost_name(change.old, change.new)
            if origin is not None and named is not None:
                found.setdefault(origin, {})[named[0]] = named[1]
        return [self.add(origin, names=names) for origin, names in found.items()]

    def on(self, origin: str) -> SiteHints:
        """Switch the hints of an origin on: you have read what they say now.

        Parameters
        ----------
        origin : str
            The site's.

        Returns
        -------
        SiteHints
            Its hints.

        Raises
        ------
        SkillNotFound, InvalidSkill
            There are none, or the file is broken.
        """
        hints = self[origin]
        remember(load_settings().home, digest_of(hints))
        return hints

    def off(self, origin: str) -> None:
        """Switch the hints of an origin off; the file stays.

        Parameters
        ----------
        origin : str
            The site's.

        Raises
        ------
        SkillNotFound, InvalidSkill
            There are none, or the file is broken.
        """
        forget(load_settings().home, digest_of(self[origin]))

    def is_on(self, hints: SiteHints) -> bool:
        """Whether a person switched on exactly these hints.

        Parameters
        ----------
        hints : SiteHints
            What a file says.

        Returns
        -------
        bool
            Whether they are applied.
        """
        return may_run(load_settings().home, digest_of(hints))

    def _path(self, origin: str) -> Path | None:
        paths = (hint_file(folder, origin) for folder in self._folders)
        return next((path for path in paths if path.exists() or path.is_symlink()), None)

    def __getitem__(self, origin: str) -> SiteHints:
        site = origin_of(origin) or origin
        path = self._path(site)
        if path is None:
            listed = ", ".join(self) or "none"
            raise SkillNotFound(f"there are no hints for {site!r}", hint=f"there are: {listed}", name=site)
        return read_hints(path)

    def __iter__(self) -> Iterator[str]:
        return iter([entry.origin for entry in self.entries])

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, origin: object) -> bool:
        return origin in list(self)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def rows(self) -> list[tuple[str, ...]]:
        """Origin, state and what they say, as one-line texts.

        Returns
        -------
        list of tuple
            A row each.
        """
        return [self._row(entry) for entry in self.entries]

    def _row(self, entry: HintEntry) -> tuple[str, ...]:
        hints = entry.hints
        if hints is None:
            wrong = entry.error.message.replace(f"{entry.path.parent}/", "") if entry.error else ""
            return (_plain(entry.origin), "broken", _plain(wrong, 2 * _LONGEST), "", "", "")
        return (
            entry.origin,
            "on" if self.is_on(hints) else "off",
            _plain(", ".join(f"{selector} → {name}" for selector, name in hints.names.items())),
            _plain(hints.pager),
            _plain(", ".join(hints.ignore)),
            f"{hints.crawl_delay:g} s" if hints.crawl_delay else "",
        )

    def __repr__(self) -> str:
        if not len(self):
            return f"<HintLibrary {', '.join(str(folder / FOLDER) for folder in self._folders)}: no hints>"
        return text_table([_HEAD, *self.rows()])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": html_table(_HEAD, self.rows())}


def hints_for(url: str, home: Path) -> SiteHints | None:
    """The hints of an address's site that are on; None if there are none, or they can't be read."""
    origin = origin_of(url)
    if origin is None:
        return None
    for folder in skill_folders(home):
        path = hint_file(folder, origin)
        try:
            facts = path.lstat()
        except OSError:
            continue
        hints = _read(path.absolute(), facts.st_mtime_ns, facts.st_size)
        return hints if hints is not None and may_run(home, digest_of(hints)) else None
    return None


@lru_cache(maxsize=32)
def _read(path: Path, changed: int, size: int) -> SiteHints | None:
    """What a file says, read again once it is another one."""
    return _entry(path).hints


def _entry(path: Path) -> HintEntry:
    try:
        hints = read_hints(path)
    except SkillbookError as error:
        return HintEntry(path.name, path, None, error)
    except OSError as error:
        return HintEntry(path.name, path, None, InvalidSkill(f"{path} can't be read: {error.strerror}"))
    return HintEntry(hints.origin, path, hints, None)


def _lost_name(old: StepTarget, new: StepTarget) -> tuple[str, str] | None:
    """The selector of a control that has no name by now, and the name that it was recorded with; else None."""
    name = clean(unescape(old.fingerprint.get("name", "")))
    if not name or len(name) > LONGEST_NAME or new.fingerprint.get("name"):
        return None
    texts = [*new.selectors, *new.fingerprint.values(), *old.fingerprint.values()]
    if next(placeholders(texts), None) is not None:
        return None  # another input's control is another one
    selector = next((text for text in map(unescape, new.selectors) if _is_lasting(text)), None)
    return None if selector is None else (selector, name)


def _is_lasting(text: str) -> bool:
    """Whether a selector says which control it is, and doesn't count or read what stands around it."""
    try:
        selector: Selector = parse_selector(text)
    except SelectorSyntaxError:
        return False
    by_itself = selector.nth is None and selector.beside is None and selector.within is None
    return by_itself and len(text) <= LONGEST_SELECTOR and (selector.kind != "role" or bool(selector.tests))


def _plain(text: str, longest: int = _LONGEST) -> str:
    return shorten(clean(text), longest)
