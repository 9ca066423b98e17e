"""What lies between a browser and a kernel: a plain forwarder of bytes, and a proxy with a path prefix and TLS."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from contextlib import suppress
from pathlib import Path


class Relay:
    """Forwards connections on a new port to another port; can be cut, and can fall silent.

    Parameters
    ----------
    target : the port to forward to.
    prefix : a path that requests must begin with, and that is taken off them; none for plain forwarding.
    tls : the context to serve with; none for plain connections.
    """

    def __init__(self, target: int, *, prefix: str = "", tls: ssl.SSLContext | None = None) -> None:
        self.target = target
        self.connections = 0
        self._prefix, self._tls = prefix.encode(), tls
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Relay:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.resume()
        self.cut()

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    def stall(self) -> None:
        """Forward nothing more, but keep every connection open; new ones are let in and hear nothing."""
        self._flowing.clear()

    def resume(self) -> None:
        """Forward again, also what was held back."""
        self._flowing.set()

    def cut(self) -> None:
        """Reset every connection."""
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await self._rewritten_head(reader) if self._prefix else b""
            onward_reader, onward = await asyncio.open_connection("127.0.0.1", self.target)
            self._writers.add(onward)
            onward.write(head)
            await asyncio.gather(self._pump(reader, onward), self._pump(onward_reader, writer))
            self._writers.discard(onward)
        self._writers.discard(writer)
        writer.close()

    async def _rewritten_head(self, reader: asyncio.StreamReader) -> bytes:
        line = await reader.readuntil(b"\r\n")
        method, path, version = line.split(b" ", 2)
        if not path.startswith(self._prefix + b"/"):
            raise OSError("not ours")
        return b" ".join((method, path.removeprefix(self._prefix), version))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
        with suppress(OSError, RuntimeError):
            writer.close()


def make_tls(folder: Path, name: str) -> ssl.SSLContext:
    """A server's TLS context with a fresh certificate that nobody signed."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"]
    command += ["-pkeyopt", "ec_paramgen_curve:prime256v1"]
    subject = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command + subject + files, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
