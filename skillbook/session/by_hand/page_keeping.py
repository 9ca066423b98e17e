"""What one keeps of a page: a PDF, an archive, a video."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from skillbook.io_thread import io
from skillbook.session.actions.page_file import PAPERS, Film, checked_path, write_page
from skillbook.session.arguments import checked_seconds, checked_word
from skillbook.session.page_driver import PageDriver


class Video:
    """A video of a page that is being taken. Made by `page.video`; `stop` writes the file."""

    def __init__(self, film: Film, path: Path) -> None:
        self.path = path
        self._film = film

    async def stop(self) -> Path:
        """End the video and write its file.

        :returns: The file.
        """
        await io.wait(self._film.stop())
        return await io.wait(self._film.write(self.path))

    async def __aenter__(self) -> Video:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def __repr__(self) -> str:
        return f"<Video {self.path.name}: {self._film.frames} different frames>"


class PageKeeping:
    """What one can keep of a page."""

    driver: PageDriver

    async def pdf(
        self,
        path: Path | str,
        *,
        paper: str = "A4",
        landscape: bool = False,
        background: bool = True,
        scale: float = 1.0,
        pages: str = "",
    ) -> Path:
        """Print the page into a PDF file. Fields that hold secrets are blank in it.

        :param path: The file, which ends in .pdf; one that is there is replaced.
        :param paper: "A3", "A4", "A5", "Letter" or "Legal".
        :param landscape: Whether the paper lies on its side.
        :param background: Whether colours and images behind the text are printed.
        :param scale: 0.1 to 2.
        :param pages: Such as "1-3, 5"; all if empty.
        :returns: The file.
        :raises InvalidParams: There is no such folder or paper.
        :raises DebuggerUnavailable: The browser allows no debugger, which prints.
        """
        checked_word("page.pdf", paper, frozenset(PAPERS))
        file, (width, height) = checked_path(path, ".pdf"), PAPERS[paper]
        options = {"landscape": landscape, "background": background, "scale": scale, "pages": pages}
        return await io.wait(write_page(self.driver, file, "pdf", width=width, height=height, **options))

    async def archive(self, path: Path | str) -> Path:
        """Keep the page with its frames, images and styles in one MHTML file, which Chrome opens without a network.

        :param path: The file, which ends in .mhtml; one that is there is replaced.
        :returns: The file. Values of secret fields, and copies of secrets that you filled, are not in it.
        :raises InvalidParams: There is no such folder.
        :raises DebuggerUnavailable: The browser allows no debugger, which archives.
        """
        return await io.wait(write_page(self.driver, checked_path(path, ".mhtml", ".mht"), "mhtml"))

    async def video(self, path: Path | str, *, every: float = 0.5, max_width: int = 1024) -> Video:
        """Film the page until `stop`, or in a `with` block. Fields that hold secrets are blank in it.

        :param path: The file: .webp or .gif, both animated images, which browsers and notebooks show.
        :param every: Seconds from one screenshot to the next. Each takes the browser about 50 to 100 ms.
        :param max_width: Pixels to which a wider page is scaled down.
        :returns: Its `stop()` writes the file, and so does the end of the block.
        :raises InvalidParams: There is no such folder, or the name ends otherwise.

        >>> with page.video("order.webp"):
        ...     page.click("button 'Order'")
        """
        file = checked_path(path, ".webp", ".gif")
        film = Film(self.driver, checked_seconds(every, "every") or 0.5, max_width)
        await io.wait(film.start())
        return Video(film, file)
