"""What an ask is: the one entry from which types, answers and docs are derived."""

from __future__ import annotations

from dataclasses import dataclass

from skillbook.protocol.model import WireModel


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One thing that a person may want of a kernel from the browser.

    Parameters
    ----------
    name : its name on both sides.
    params, result : their models.
    description : one sentence for the docs.
    """

    name: str
    params: type[WireModel]
    result: type[WireModel]
    description: str


class RunParams(WireModel):
    run: str
