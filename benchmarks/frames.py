"""What `sb.tables` makes of every stored page, as JSON: two states of the code are compared without a browser.

    python -m benchmarks.frames OUT.json [BEFORE.json] [--pages FOLDER …]

Pages are those that tests have read (`tests.stored_pages`), of any extension, and those in the folders given.
With BEFORE, prints each page whose frames differ.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

import skillbook as sb
from tests.stored_pages import NotStored, Recorder, StoredPages

_STORED = Path(__file__).parents[1] / ".pytest_cache" / "d" / "stored-pages"
_SHOWN = 40


class _NoRecorder(Recorder):
    """Stands for the browser that there isn't."""

    async def answer(self, path: str, html: str, command: str, params: dict[str, Any]) -> Any:
        raise NotStored(f"{command} of {path} isn't stored")


def frames_of(folder: Path, home: Path) -> Iterator[tuple[str, list[dict[str, Any]] | str]]:
    """Each page's frames, or why there are none, by the name of its file."""
    pages = StoredPages(home / "none", home)
    pages.bridge.folder, pages.bridge.recorder = folder, _NoRecorder()
    for file in sorted(folder.glob("*.json")):
        stored = json.loads(file.read_text("utf-8"))
        if not any(json.loads(key)[0] == "snapshot" for key in stored["answers"]):
            continue
        page = pages.open(stored["path"], stored["html"])
        try:
            yield file.stem, [_facts(frame) for frame in sb.tables(page)]
        except Exception as error:
            yield file.stem, f"{type(error).__name__}: {error}"
        finally:
            page.close()
    pages.close()


def _facts(frame: Any) -> dict[str, Any]:
    known = frame.skillbook
    return {
        "name": known.name,
        "columns": [f"{name}: {kind}" for name, kind in frame.dtypes.items()],
        "rows": json.loads(frame.to_json(orient="values", date_format="iso")),
        "complete": known.complete,
        "reason": known.reason,
        "notes": list(known.notes),
        "evidence": [str(check) for check in known.evidence],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("before", type=Path, nargs="?")
    parser.add_argument("--pages", type=Path, nargs="*", default=[])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as home:
        for folder in asked.pages or sorted(_STORED.glob("*")):
            found.update(frames_of(folder, Path(home)))
    asked.out.write_text(json.dumps(found, indent=1, ensure_ascii=False), "utf-8")
    print(
        f"{len(found):,} pages, {sum(len(each) * isinstance(each, list) for each in found.values()):,} frames"
    )
    if asked.before:
        _compare(json.loads(asked.before.read_text("utf-8")), found)


def _compare(before: dict[str, Any], after: dict[str, Any]) -> None:
    same = [name for name in after if before.get(name) == after[name]]
    print(f"{len(same):,} as before, {len(after) - len(same):,} not")
    for name in sorted(set(after).difference(same)):
        then, now = (
            [json.dumps(line, ensure_ascii=False) for line in _lines(each.get(name, []))]
            for each in (before, after)
        )
        print(f"\n{name}")
        print("\n".join(list(unified_diff(then, now, lineterm="", n=0))[2:_SHOWN]))


def _lines(frames: list[dict[str, Any]] | str) -> Iterator[Any]:
    if isinstance(frames, str):
        yield frames
        return
    for frame in frames:
        yield from frame.pop("rows")
        yield from frame.items()


if __name__ == "__main__":
    main()
