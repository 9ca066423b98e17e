from __future__ import annotations

import re
from pathlib import Path

from pydantic import AliasChoices

from skillbook.config import Settings

EXAMPLE = Path(__file__).resolve().parents[1] / ".env.example"


def variables() -> set[str]:
    names: set[str] = set()
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [f"SKILLBOOK_{name.upper()}"]
        names.update(str(choice) for choice in choices)
    return names


def test_the_example_names_every_variable_and_no_other() -> None:
    shown = re.findall(r"^#?([A-Z][A-Z_]+)=", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(shown) == variables()
    assert len(shown) == len(set(shown))


def test_the_example_is_valid_as_it_is_and_with_every_line_in_force(tmp_path: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert Settings(_env_file=EXAMPLE).base_url is None
    used = tmp_path / ".env"
    used.write_text(re.sub(r"^#([A-Z])", r"\1", text, flags=re.MULTILINE), encoding="utf-8")
    assert Settings(_env_file=used).base_url == "http://127.0.0.1:8000/v1"
