"""Values that no address may show: a form sent by GET writes a password into one."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import unquote_plus

_ADDRESS = re.compile(r"(?=\S*[?#])(?=\S*[/=])\S*")
_PART = re.compile(r"(^|[?#&;])([^?#&;=]*=)?([^?#&;]*)")
_LONGEST = 20_000
"""Characters of an address beyond which only its head is kept: decoding it would take too long."""
_SHORT = 6
"""Characters below which a value may stand in another one by chance; it counts only if it is all of a part."""
_DEPTH = 5


def mask_address(address: str, values: Collection[str], mask: str) -> str:
    """An address whose query and fragment have none of the values, however often they are encoded.

    Parameters
    ----------
    address : any text; one that is no address, or has no query or fragment, stays as it is.
    values : what is masked, in any case.
    mask : what stands in its place.
    """
    if not values or not _ADDRESS.fullmatch(address):
        return address
    at = min(address.index(mark) for mark in "?#" if mark in address)
    folded = [value.casefold() for value in values]
    tail = address[at : at + _LONGEST]
    return address[:at] + _PART.sub(
        lambda part: f"{part[1]}{part[2] or ''}{mask if _has(part[3], folded) else part[3]}", tail
    )


def _has(part: str, values: Collection[str]) -> bool:
    for _ in range(_DEPTH):
        text = part.casefold()
        if any(value in text if len(value) >= _SHORT else value == text for value in values):
            return True
        decoded = unquote_plus(part)
        if decoded == part:
            return False
        part = decoded
    return False
