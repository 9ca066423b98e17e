"""Shared by the readers of skill files: bounded text, frontmatter, and errors that say where."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from skillbook.errors import InvalidSkill, SkillNotFound
from skillbook.skill.files.safe_yaml import load_mapping, place_of

MAX_BYTES = 1_000_000
Loc = tuple[str | int, ...]


class Document(NamedTuple):
    """A Markdown file: its frontmatter as data and as text, and its body."""

    fields: dict[str, Any]
    yaml: str
    body: str


def read_text(path: Path) -> str:
    """Read a skill's file as UTF-8 with unified line ends.

    Raises
    ------
    SkillNotFound : there is no such file.
    InvalidSkill : a link, no regular file, too large, or not UTF-8.
    """
    if path.is_symlink():
        raise InvalidSkill(f"{path} is a symbolic link", hint="replace it by the file itself", file=str(path))
    if not path.exists():
        raise SkillNotFound(f"there is no {path}", file=str(path))
    if not path.is_file():
        raise InvalidSkill(
            f"{path} is no regular file", hint="remove it or put the file there", file=str(path)
        )
    with path.open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InvalidSkill(
            f"{path} is larger than {MAX_BYTES:,} bytes", hint="keep data out of it", file=str(path)
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidSkill(
            f"{path} is not UTF-8 (byte {error.start})", hint="save it as UTF-8", file=str(path)
        ) from None
    return text.replace("\r\n", "\n")


def split_document(text: str, path: Path, *, required: bool) -> Document:
    """Take a Markdown file's frontmatter and body apart.

    Parameters
    ----------
    required : whether a file without frontmatter is refused.

    Raises
    ------
    InvalidSkill : no frontmatter, one that isn't closed, or bad YAML in it.
    """
    if not text.startswith("---\n"):
        if required:
            raise InvalidSkill(
                f"{path}, line 1: the frontmatter is missing",
                hint="begin the file with '---', name and description, and '---'",
                file=str(path),
            )
        return Document({}, "", text)
    rest = text[3:]
    end = rest.find("\n---\n")
    if end < 0 and rest.endswith("\n---"):
        end = len(rest) - 4
    if end < 0:
        raise InvalidSkill(
            f"{path}: the frontmatter has no end", hint="close it with a line '---'", file=str(path)
        )
    yaml = rest[1 : end + 1]
    return Document(load_mapping(yaml, str(path), first_line=2), yaml, rest[end + 5 :])


def explain(
    error: ValidationError, path: Path, yaml: str, first_line: int, locate: Callable[[Loc], Loc] = tuple
) -> InvalidSkill:
    """Make the first fault that validation found an `InvalidSkill` that names file, line, column and field.

    Parameters
    ----------
    yaml : the text that was validated, to find the line in.
    first_line : the line of the file where it begins.
    locate : turns a place in the model into the place in the file.
    """
    fault = error.errors()[0]
    loc = locate(fault["loc"])
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")
    line, column = place_of(yaml, loc)
    line += first_line - 1
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        message = "no such field"
    rest = error.error_count() - 1
    more = f" (and {rest} more)" if rest else ""
    where = f"{path}, line {line}, column {column}" + (f", {field}" if field else "")
    hint = _HINTS.get(fault["type"], "correct that line")
    return InvalidSkill(
        f"{where}: {message}{more}", hint=hint, file=str(path), field=field, line=line, column=column
    )


def refuse_field(
    path: Path, field: str, message: str, hint: str, *, yaml: str = "", first_line: int = 1
) -> InvalidSkill:
    """An `InvalidSkill` about one field of a file, with line and column where its text `yaml` is given."""
    facts: dict[str, Any] = {"file": str(path), "field": field}
    where = str(path)
    if yaml:
        line, column = place_of(yaml, (field,))
        facts |= {"line": line + first_line - 1, "column": column}
        where += f", line {facts['line']}, column {column}"
    return InvalidSkill(f"{where}, {field}: {message}", hint=hint, **facts)


_HINTS = {
    "extra_forbidden": "remove the field, or correct its name",
    "missing": "add the field",
    "string_too_long": "shorten it",
    "string_type": "put the value in quotes",
}
