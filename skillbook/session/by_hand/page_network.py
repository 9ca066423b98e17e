"""What a page exchanges with the network: as a table, as a file, blocked, mocked."""

from __future__ import annotations

import json as json_module
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skillbook.errors import InvalidParams
from skillbook.hooks import bundle, hooks
from skillbook.io_thread import io
from skillbook.session.page.network_driver import MockAnswer, PageNetwork, origin_for
from skillbook.session.page.request_log import NetworkRequest
from skillbook.session.page_driver import PageDriver
from skillbook.storage import storing

if TYPE_CHECKING:
    from os import PathLike

    from pandas import DataFrame

_NOTHING: Any = object()


class Network:
    """A page's requests since `page.network` was first used, and what answers them in the network's place.

    Parameters
    ----------
    driver : PageDriver
        The page's.

    Examples
    --------
    >>> page.network  # from here on requests are seen  # doctest: +SKIP
    >>> page.click("button 'Search'")  # doctest: +SKIP
    >>> page.network.requests  # doctest: +SKIP
    """

    def __init__(self, driver: PageDriver) -> None:
        self._driver = driver

    @property
    def _network(self) -> PageNetwork:
        return self._driver.network

    def _known(self) -> list[NetworkRequest]:
        if self._network.failure is not None:
            raise self._network.failure
        return self._network.requests()

    @property
    def requests(self) -> DataFrame:
        """The requests so far, by their number.

        Columns are method, address, status, type, size (bytes over the network), time (ms), step (what was being done
        when it was sent), source (who answered in the network's place), error, and by_itself (the page had sent it
        twice while nothing was done, as a poll does). Secrets are masked.

        Raises
        ------
        DebuggerUnavailable
            The tab has no debugger.
        """
        frame: DataFrame = hooks.tabulate_requests(self._known())
        return frame

    async def body(self, n: int) -> str | bytes:
        """Read the body of an answer. Those of documents and of requests by script are kept up to a limit.

        :param n: The request's number in `requests`.
        :returns: Text with secrets masked, or what is no text.
        :raises InvalidParams: There is no such request, or it has no answer.
        :raises CommandError: The body isn't kept.
        """
        return await io.wait(self._network.body(n))

    async def json(self, n: int) -> Any:
        """Read the body of an answer as JSON.

        :param n: The request's number in `requests`.
        :returns: What the JSON says, secrets masked.
        :rtype: dict, list, str, int, float, bool or None
        :raises InvalidParams: There is no such request, or its answer is no JSON.
        """
        return await io.wait(self._network.json(n))

    async def har(self, path: str | PathLike[str]) -> Path:
        """Write the requests so far as an HTTP archive (HAR 1.2), which browsers' developer tools open.

        Cookies and headers that let somebody in are masked, as secrets are.

        :param path: The file.
        :returns: The file.
        """
        archive = await io.wait(self._network.archive())
        return _write(Path(path), archive)

    async def block(self, pattern: str, *, method: str | None = None) -> None:
        """Block requests from now on: the page gets an error, and nothing leaves the browser.

        :param pattern: A part of the address, or a glob with `*` for all of it.
        :param method: Only requests of this method, such as "POST".
        """
        await io.wait(self._network.add_rule(_checked(pattern), None, method))

    async def mock(
        self,
        pattern: str,
        *,
        json: Any = _NOTHING,
        text: str | None = None,
        file: str | PathLike[str] | None = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        method: str | None = None,
    ) -> None:
        """Answer requests in the network's place from now on: nothing of them leaves the browser.

        The rule that was made last counts. A page of another origin may read the answer.

        :param json: What the answer says as JSON.
        :type json: object, optional
        :param text: The answer's body.
        :param file: A file with the answer's body; all mocks of a page may have 4 MB.
        :param status: The answer's status, 200 to 599.
        :param headers: More headers of the answer, and others in the place of `content-type`.
        :raises InvalidParams: More than one body, no such file, or too many bytes.

        >>> page.network.mock("/api/orders", json=[])
        >>> page.network.mock("/api/pay", status=503, method="POST")
        """
        answer = _answer(json, text, file, status, headers or {})
        await io.wait(self._network.add_rule(_checked(pattern), answer, method))

    async def headers(self, headers: Mapping[str, str] | None, *, origin: str | None = None) -> None:
        """Send headers with the requests to one origin from now on; those to others don't get them.

        :param headers: Names and values, which may be what `sb.secret("name")` returned; None for no more.
        :param origin: Such as "https://api.example.com"; the page's own by default.
        """
        where = origin_for(origin, self._driver.url)
        await io.wait(self._network.set_headers(headers, where))

    async def clear(self) -> None:
        """Forget the requests so far, and end all blocks, mocks and headers."""
        await io.wait(self._network.clear())

    def __len__(self) -> int:
        return len(self._known())

    def __repr__(self) -> str:
        network = self._network
        if network.failure is not None:
            return f"<Network, not watched: {network.failure.message}>"
        count, dropped = len(network.requests()), network.log.dropped
        gone = f", {dropped} older ones dropped" if dropped else ""
        rules = "; " + ", ".join(network.rules) if network.rules else ""
        return f"<Network {count} request{'' if count == 1 else 's'}{gone}{rules}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return bundle(self)


def _write(path: Path, archive: dict[str, Any]) -> Path:
    with storing(path):
        path.write_text(json_module.dumps(archive, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def _checked(pattern: str) -> str:
    if not pattern:
        raise InvalidParams("a pattern is a part of an address, or a glob with *", hint='such as "/api/*"')
    return pattern


def _answer(
    json: Any, text: str | None, file: str | PathLike[str] | None, status: int, headers: Mapping[str, str]
) -> MockAnswer:
    bodies = {"json": json is not _NOTHING, "text": text is not None, "file": file is not None}
    given = [name for name, is_given in bodies.items() if is_given]
    if len(given) > 1:
        raise InvalidParams(f"a mock has one body, not {' and '.join(given)}", hint="give one of them")
    if not 200 <= status <= 599:
        raise InvalidParams(
            f"a mock's status is 200 to 599, not {status}", hint="page.network.block(…) blocks"
        )
    body, kind = b"", "text/plain; charset=utf-8"
    if json is not _NOTHING:
        body, kind = json_module.dumps(json, ensure_ascii=False).encode(), "application/json; charset=utf-8"
    elif text is not None:
        body = text.encode()
    elif file is not None:
        try:
            body = Path(file).read_bytes()
        except OSError as error:
            raise InvalidParams(
                f"{file} can't be read: {error.strerror}", hint="give a file that is there"
            ) from None
        kind = mimetypes.guess_type(str(file))[0] or "application/octet-stream"
    own = {name.lower() for name in headers}
    return MockAnswer(status, body, {**({} if "content-type" in own else {"content-type": kind}), **headers})
