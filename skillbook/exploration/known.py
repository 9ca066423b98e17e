"""The pages of a site that earlier explorations saw: where to look first the next time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import urlsplit

Pages = Mapping[str, tuple[str, str]]
_MOST = 2000
_VERSION = 1


def known_pages(home: Path, origin: str) -> dict[str, tuple[str, str]]:
    """Title and link label of each page by its address; nothing where no exploration was kept or it can't be read."""
    with suppress(OSError, ValueError, AttributeError, TypeError, KeyError):
        kept = json.loads(_file(home, origin).read_text(encoding="utf-8"))
        if kept.get("version") == _VERSION:
            return {str(url): (str(title), str(label)) for url, (title, label) in kept["pages"].items()}
    return {}


def keep_pages(home: Path, origin: str, pages: Pages, gone: Iterable[str] = ()) -> None:
    """Add pages to what is known of a site, the newest last, and take away those that are gone.

    Where it can't be written, nothing is kept: the next exploration begins from nothing.
    """
    known = known_pages(home, origin)
    for url in [*pages, *gone]:
        known.pop(url, None)
    known |= pages
    newest = dict(list(known.items())[-_MOST:])
    file = _file(home, origin)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, delete=False) as written:
            json.dump({"version": _VERSION, "pages": newest}, written, ensure_ascii=False)
        Path(written.name).replace(file)


def _file(home: Path, origin: str) -> Path:
    parts = urlsplit(origin)
    return home / "sites" / f"{parts.scheme}-{parts.hostname}-{parts.port or 'default'}.json"
