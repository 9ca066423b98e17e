"""Pack the built extension for the Chrome Web Store: `python extension/store_zip.py dist`.

The same files give the same bytes. The manifest's `key` is left out: the store refuses it and signs with its own.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

BUILT = Path(__file__).parents[1] / "skillbook" / "_extension"
FIRST_DATE = (1980, 1, 1, 0, 0, 0)


def pack(folder: Path) -> Path:
    """Write the zip into a folder; its name has the version."""
    manifest = json.loads((BUILT / "manifest.json").read_text(encoding="utf-8"))
    manifest.pop("key", None)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"skillbook-extension-{manifest['version']}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(each for each in BUILT.rglob("*") if each.is_file()):
            name = file.relative_to(BUILT).as_posix()
            is_manifest = name == "manifest.json"
            content = json.dumps(manifest, indent=2).encode() if is_manifest else file.read_bytes()
            entry = zipfile.ZipInfo(name, FIRST_DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return path


if __name__ == "__main__":
    print(pack(Path(sys.argv[1])))
