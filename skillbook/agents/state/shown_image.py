"""The last image of the page that a model was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillbook.perception.nodes.base_snapshot import BaseSnapshot


@dataclass(frozen=True)
class ShownImage:
    """An image of the page, as a model saw it.

    Parameters
    ----------
    seen : the page as it was then.
    origin : where the image begins, in CSS pixels of the viewport.
    scale : pixels of the image in a CSS pixel.
    """

    seen: BaseSnapshot
    origin: tuple[float, float]
    scale: float
