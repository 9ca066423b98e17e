"""A page as one file: PDF, or an archive with its images and styles."""

from __future__ import annotations

import asyncio
import base64
import re
from email import message_from_bytes, policy
from email.message import Message
from pathlib import Path
from typing import Any

from skillbook.errors import InvalidParams
from skillbook.session.page.page_reader import PageReader
from skillbook.storage import expanded, storing

PAPERS = {
    "A3": (11.69, 16.54),
    "A4": (8.27, 11.69),
    "A5": (5.83, 8.27),
    "Letter": (8.5, 11.0),
    "Legal": (8.5, 14.0),
}
"""Width and height in inches."""
_INPUT = re.compile(r"""<input\b(?:[^>"']|"[^"]*"|'[^']*')*>""", re.I)
_SECRET = re.compile(
    r"""\stype=["']?password|\sautocomplete=["'][^"']*(?:password|one-time-code|cc-(?:number|csc|exp))""",
    re.I,
)
_VALUE = re.compile(r"""\svalue=(?:"[^"]*"|'[^']*'|[^\s>]*)""", re.I)


def checked_path(path: Path | str, *suffixes: str) -> Path:
    """The path of a file to write.

    Raises
    ------
    InvalidParams : its folder isn't there, or its name ends otherwise.
    """
    wanted = expanded(path)
    if wanted.suffix.lower() not in suffixes:
        raise InvalidParams(
            f"{wanted.name!r} doesn't end in {' or '.join(suffixes)}", hint="give it such an ending"
        )
    if not wanted.parent.is_dir():
        raise InvalidParams(f"there is no folder {str(wanted.parent)!r}", hint="make it first")
    return wanted


async def write_page(page: PageReader, path: Path, wire_format: str, **options: Any) -> Path:
    """Write the page as "pdf" or "mhtml"; secrets aren't in it."""
    page.require_open()
    answer = await page.run("save_page", {"format": wire_format, **options})
    data = base64.b64decode(answer["data"])
    if wire_format == "mhtml":
        data = _without_secrets(data, page)
    with storing(path):
        await asyncio.to_thread(path.write_bytes, data)
    return path


def _without_secrets(data: bytes, page: PageReader) -> bytes:
    """The archive without values of secret fields and without copies of secrets that were filled."""
    archive: Message = message_from_bytes(
        data, policy=policy.compat32.clone(linesep="\r\n", max_line_length=None)
    )
    changed = False
    for part in archive.walk():
        if part.get_content_maintype() != "text":
            continue
        charset = part.get_content_charset() or "utf-8"
        text = bytes(part.get_payload(decode=True) or b"").decode(charset, "replace")
        masked = page.browser.gateway.secrets.redact(_INPUT.sub(_without_value, text))
        if masked != text:
            changed = True
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = "base64"
            part.set_payload(base64.encodebytes(masked.encode(charset, "replace")).decode("ascii"))
    return archive.as_bytes() if changed else data


def _without_value(tag: re.Match[str]) -> str:
    return _VALUE.sub("", tag[0]) if _SECRET.search(tag[0]) else tag[0]
