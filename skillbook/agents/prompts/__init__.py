"""The prompts, one Markdown file each."""

from __future__ import annotations

from importlib.resources import files


def load_prompt(name: str) -> str:
    """Read the prompt `NAME.md` of this folder."""
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
