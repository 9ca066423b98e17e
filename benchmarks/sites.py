"""Where the synthetic pages of one run are served."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Sites:
    """A folder that is served.

    Attributes
    ----------
    folder : where to write pages.
    url : where it is served.
    """

    folder: Path
    url: str

    def page(self, name: str) -> str:
        """A file's address."""
        return f"{self.url}/{name}"
