"""A page as one file: PDF, an archive with its images and styles, or a video."""

from __future__ import annotations

import asyncio
import base64
import codecs
import io
import re
import time
from collections.abc import Callable
from email import message_from_bytes, policy
from email.header import Header, decode_header, make_header
from email.message import Message
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from skillbook.errors import InvalidParams, PageUnreachable, SkillbookError
from skillbook.session.page.page_reader import PageReader
from skillbook.storage import expanded, storing

if TYPE_CHECKING:
    from PIL.Image import Image


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
_CHARSET = re.compile(rb"""<meta\b[^>]*\bcharset=["']?([\w-]+)""", re.I)
_HEAD_BYTES = 2_000
_VALUE = re.compile(r"""\svalue=(?:"[^"]*"|'[^']*'|[^\s>]*)""", re.I)


def checked_path(path: Path | str, *suffixes: str) -> Path:
    """The path of a file to write.

    Raises InvalidParams: its folder isn't there, or its name ends otherwise.
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
    secrets = page.browser.gateway.secrets
    for part in archive.walk():
        changed |= _mask_headers(part, secrets.redact)
        if part.get_content_maintype() != "text":
            continue
        content = bytes(part.get_payload(decode=True) or b"")
        charset = _charset_of(part, content)
        text = content.decode(charset, "replace")
        masked = secrets.redact(_INPUT.sub(_without_value, text))
        if masked != text:
            changed = True
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = "base64"
            part.set_payload(base64.encodebytes(masked.encode(charset, "replace")).decode("ascii"))
    return archive.as_bytes() if changed else data


def _charset_of(part: Message, content: bytes) -> str:
    """The encoding of a part: that of its header, else the one that Chrome wrote into the document itself."""
    named = _CHARSET.search(content[:_HEAD_BYTES])
    charset = part.get_content_charset() or (named[1].decode() if named is not None else "utf-8")
    try:
        return codecs.lookup(charset).name
    except LookupError:
        return "utf-8"


def _mask_headers(part: Message, redact: Callable[[str], str]) -> bool:
    """Mask the page's title and addresses, which stand in headers; whether there was anything to mask."""
    changed = False
    for name, value in part.items():
        written = str(make_header(decode_header(value)))
        masked = redact(written)
        if masked != written:
            changed = True
            # Chrome reads addresses as they are, and encoded words in titles alone.
            is_title = name.lower() == "subject"
            encoded = Header(masked, "utf-8", maxlinelen=998).encode() if is_title else _in_address(masked)
            part.replace_header(name, encoded)
    return changed


def _in_address(text: str) -> str:
    return "".join(char if char.isascii() else quote(char) for char in text)


def _without_value(tag: re.Match[str]) -> str:
    return _VALUE.sub("", tag[0]) if _SECRET.search(tag[0]) else tag[0]


MOST_FRAMES = 1_200
"""Different ones; a film of more would take more memory than it is worth."""


class Film:
    """What is filmed of a page.

    every: seconds from one screenshot to the next.
    max_width: pixels at most.
    """

    def __init__(self, page: PageReader, every: float, max_width: int) -> None:
        self._page, self._every, self._max_width = page, every, max_width
        self._frames: list[tuple[float, bytes]] = []
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.problem: SkillbookError | None = None

    async def start(self) -> None:
        """Take the first screenshot, then the others in the background."""
        await self._shoot()
        self._task = asyncio.create_task(self._go_on())

    async def stop(self) -> None:
        """Take the last screenshot."""
        if self._task is None:
            return
        self._stopping.set()
        await self._task
        self._task = None
        await self._shoot_if_there()

    async def write(self, path: Path) -> Path:
        """Write the film; frames that show the same are one, shown longer."""
        if not self._frames:
            raise PageUnreachable(
                "nothing was filmed", hint="start it while the page is open", url=self._page.url
            )
        await asyncio.to_thread(_encode, self._frames, time.monotonic(), path)
        return path

    @property
    def frames(self) -> int:
        """How many different frames there are."""
        return len(self._frames)

    async def _go_on(self) -> None:
        while not self._stopping.is_set() and len(self._frames) < MOST_FRAMES:
            try:
                async with asyncio.timeout(self._every):
                    await self._stopping.wait()
            except TimeoutError:
                await self._shoot_if_there()

    async def _shoot_if_there(self) -> None:
        try:
            await self._shoot()
        except SkillbookError as error:
            # A dialog, a navigation or the end of the page: the film goes on with the next frame, if one comes.
            self.problem = error

    async def _shoot(self) -> None:
        shot = await self._page.run("screenshot", {"format": "png", "max_width": self._max_width}, quiet=True)
        data = base64.b64decode(shot["data"])
        if not self._frames or self._frames[-1][1] != data:
            self._frames.append((time.monotonic(), data))


def _encode(frames: list[tuple[float, bytes]], end: float, path: Path) -> None:
    from PIL import Image

    times = [at for at, _ in frames]
    shown = [max(20, round((until - at) * 1000)) for at, until in zip(times, [*times[1:], end], strict=True)]
    first = Image.open(io.BytesIO(frames[0][1])).convert("RGB")
    rest = (_fitted(Image.open(io.BytesIO(data)).convert("RGB"), first.size) for _, data in frames[1:])
    options: dict[str, Any] = {"method": 2, "quality": 75} if path.suffix.lower() == ".webp" else {}
    with storing(path):
        first.save(path, save_all=True, append_images=rest, duration=shown, loop=0, **options)


def _fitted(image: Image, size: tuple[int, int]) -> Image:
    """An image of the film's size: the window may have changed meanwhile."""
    from PIL import ImageOps

    return image if image.size == size else ImageOps.pad(image, size)
