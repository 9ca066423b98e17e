"""One thing that a run gave, and how it is read in parts."""

from __future__ import annotations

import base64
import json
import mimetypes
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillbook.errors import InvalidParams
from skillbook.protocol.asks.run_asks import Output
from skillbook.protocol.asks.skill_asks import FileChunk

CHUNK_BYTES = 2_000_000
_SHOWN_TEXT = 20_000
_SHOWN_FACT = 2_000


class RunOutput(ABC):
    """Something that a run gave.

    Parameters
    ----------
    id : names it in its run.
    """

    id: str

    @abstractmethod
    def view(self) -> Output:
        """What is shown of it at once."""

    @abstractmethod
    def file(self, form: str) -> tuple[str, str, bytes]:
        """Its name, media type and bytes as a file.

        Raises
        ------
        InvalidParams : it has no such form.
        """

    def chunk(self, form: str, offset: int) -> FileChunk:
        """A part of it as a file."""
        name, media_type, data = self.file(form)
        part = data[offset : offset + CHUNK_BYTES]
        end = offset + len(part)
        return FileChunk(
            name=name,
            media_type=media_type,
            size=len(data),
            data=base64.b64encode(part).decode(),
            next=end if end < len(data) else None,
        )


@dataclass
class TextOutput(RunOutput):
    """Text that a run gave, such as an agent's answer."""

    id: str
    title: str
    text: str

    def view(self) -> Output:
        note = "" if len(self.text) <= _SHOWN_TEXT else "only the beginning is shown; the file has all of it"
        return Output(
            id=self.id,
            kind="text",
            title=self.title,
            text=self.text[:_SHOWN_TEXT],
            note=note,
            count=len(self.text),
        )

    def file(self, form: str) -> tuple[str, str, bytes]:
        _check(form, "text", "")
        return f"{self.id}.txt", "text/plain", self.text.encode()


@dataclass
class FactsOutput(RunOutput):
    """Values by name that a run gave."""

    id: str
    title: str
    facts: Mapping[str, Any]

    def view(self) -> Output:
        shown = {str(name): str(value)[:_SHOWN_FACT] for name, value in self.facts.items()}
        return Output(id=self.id, kind="facts", title=self.title, facts=shown, count=len(shown))

    def file(self, form: str) -> tuple[str, str, bytes]:
        _check(form, "json", "")
        text = json.dumps(dict(self.facts), ensure_ascii=False, indent=2, default=str)
        return f"{self.id}.json", "application/json", text.encode()


@dataclass
class FileOutput(RunOutput):
    """A file that a run saved."""

    id: str
    path: Path

    def view(self) -> Output:
        try:
            size, note = self.path.stat().st_size, ""
        except OSError:
            size, note = 0, "the file is gone"
        return Output(
            id=self.id,
            kind="file",
            title=self.path.name,
            note=note,
            count=size,
            media_type=_media_type(self.path),
        )

    def file(self, form: str) -> tuple[str, str, bytes]:
        _check(form, "")
        try:
            return self.path.name, _media_type(self.path), self.path.read_bytes()
        except OSError as error:
            raise InvalidParams(f"{self.path} can't be read: {error.strerror}") from None


def _media_type(path: Path) -> str:
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"


def _check(form: str, *known: str) -> None:
    if form not in known:
        raise InvalidParams(f"there is no form {form!r} of it", hint=f"one of: {', '.join(map(repr, known))}")
