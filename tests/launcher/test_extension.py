from __future__ import annotations

import base64
import hashlib
import json
import tomllib
from pathlib import Path

import pytest

from skillbook.errors import ExtensionNotBuilt
from skillbook.launcher.profile import EXTENSION_ID, extension_path, extension_version

ROOT = Path(__file__).parents[2]
MANIFEST = json.loads((ROOT / "extension" / "manifest.json").read_text(encoding="utf-8"))


def id_from_key(key: str) -> str:
    """The extension id that belongs to a manifest `key` (base64 of the public key in DER).

    Chromium, components/crx_file/id_util.cc: the first 16 bytes of the SHA-256, written in a to p.
    """
    digest = hashlib.sha256(base64.b64decode(key)).hexdigest()[:32]
    return digest.translate(str.maketrans("0123456789abcdef", "abcdefghijklmnop"))


def test_the_id_belongs_to_the_manifests_key() -> None:
    assert id_from_key(MANIFEST["key"]) == EXTENSION_ID


def test_an_id_has_32_letters_from_a_to_p() -> None:
    made = id_from_key("c2tpbGxib29r")
    assert len(made) == 32
    assert set(made) <= set("abcdefghijklmnop")
    assert made != EXTENSION_ID


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package = json.loads((ROOT / "extension" / "package.json").read_text(encoding="utf-8"))
    assert MANIFEST["version"] == package["version"] == project["version"]


def test_every_file_the_manifest_names_is_built() -> None:
    built = extension_path()
    named = [MANIFEST["background"]["service_worker"], MANIFEST["action"]["default_popup"]]
    named += [name for script in MANIFEST["content_scripts"] for name in script["js"]]
    named += list(MANIFEST["icons"].values())
    assert [name for name in named if not (built / name).is_file()] == []
    assert extension_version() == MANIFEST["version"]


@pytest.mark.parametrize("name", ["content.js", "pair.js", "databases.js"])
def test_injected_scripts_are_single_classic_files(name: str) -> None:
    text = (extension_path() / name).read_text(encoding="utf-8")
    assert not text.lstrip().startswith("import")
    assert "export{" not in text.replace(" ", "")


def test_a_missing_build_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ExtensionNotBuilt) as caught:
        extension_path(tmp_path)
    assert "background.js" in caught.value.data["missing"]
    assert "make build" in caught.value.hint


def test_fault_39_the_manifest_asks_for_nothing_that_no_code_uses() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "extension" / "src").rglob("*.ts*")]
    by_api = {"declarativeNetRequestWithHostAccess": "declarativeNetRequest"}
    names = [by_api.get(name, name) for name in MANIFEST["permissions"]]
    assert [name for name in names if not any(f"chrome.{name}" in text for text in sources)] == []
