"""A page as a video: masked screenshots at even times, written as one animated image."""

from __future__ import annotations

import asyncio
import base64
import io
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillbook.errors import PageUnreachable, SkillbookError
from skillbook.session.page.page_reader import PageReader
from skillbook.storage import storing

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_FRAMES = 1_200
"""Different ones; a film of more would take more memory than it is worth."""


class Film:
    """What is filmed of a page.

    Parameters
    ----------
    page : the page.
    every : seconds from one screenshot to the next.
    max_width : pixels at most.
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
