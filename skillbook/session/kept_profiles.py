"""Profiles by name: all that a browser keeps between launches, in skillbook's folder."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from skillbook.config import load_settings
from skillbook.errors import InvalidParams
from skillbook.launcher.profile import require_free

_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_-]*$")


class Profiles:
    """The profiles of `sb.launch(profile=…)`: iterate over their names, `del sb.profiles["work"]` deletes one.

    Examples
    --------
    >>> list(sb.profiles)  # doctest: +SKIP
    ['work']
    """

    @property
    def folder(self) -> Path:
        """Where they are."""
        return load_settings().home / "profiles"

    def path(self, name: str) -> Path:
        """The folder of a profile.

        Parameters
        ----------
        name : str
            Letters, digits, `_` and `-`.

        Returns
        -------
        Path
            The folder, which may not be there yet.

        Raises
        ------
        InvalidParams
            No profile can have that name.
        """
        if not _NAME.match(name):
            raise InvalidParams(f"{name!r} can't be a profile's name", hint="use letters, digits, _ and -")
        return self.folder / name

    def __iter__(self) -> Iterator[str]:
        found = self.folder.iterdir() if self.folder.is_dir() else iter(())
        return iter(sorted(each.name for each in found if each.is_dir()))

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __delitem__(self, name: str) -> None:
        path = self.path(name)
        if not path.is_dir():
            raise InvalidParams(
                f"there is no profile {name!r}", hint=f"there are: {', '.join(self) or 'none'}"
            )
        require_free(path)
        shutil.rmtree(path)

    def __repr__(self) -> str:
        return f"<Profiles: {', '.join(self) or 'none'}>"


profiles = Profiles()
