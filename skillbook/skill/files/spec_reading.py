"""Shared by the readers of skill files: bounded text, plain YAML, frontmatter, and errors that say where."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import yaml
from pydantic import ValidationError

from skillbook.errors import InvalidSkill, SkillNotFound

MAX_DEPTH = 40


class _Loader(yaml.SafeLoader):
    """`SafeLoader`, which refuses Python's tags, without aliases, deep nesting, duplicate keys and dates.

    Aliases can make a small file expand to gigabytes, duplicate keys hide a value, and a date is a text that
    somebody wrote.
    """

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            self._refuse("aliases (*name) are not allowed", event.start_mark)
        if self.depth == MAX_DEPTH:
            self._refuse("nested too deeply", event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            text = str(key.value)
            if text in seen:
                self._refuse(f"the key {text!r} is there twice", key.start_mark)
            seen.add(text)
        return super().construct_mapping(node, deep)

    def refuse_tag(self, node: yaml.Node) -> NoReturn:
        """Refuse a tag that isn't one of YAML's plain types."""
        self._refuse(f"the tag {node.tag} is not allowed", node.start_mark)

    def _refuse(self, problem: str, place: Any) -> NoReturn:
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=place)


_Loader.add_constructor(None, _Loader.refuse_tag)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Dumper(yaml.SafeDumper):
    """`SafeDumper` that writes long texts as blocks and never aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    odd = any(not (char.isprintable() or char == "\n") for char in text)
    style = '"' if odd else "|" if "\n" in text and not text.isspace() else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


@lru_cache(maxsize=256)
def _load(text: str) -> Any:
    """Read a YAML text; a library reads the same files again at each access."""
    return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader


def load_mapping(text: str, where: str, first_line: int = 1) -> dict[str, Any]:
    """Read a YAML mapping of plain data.

    where: the file, for messages.
    first_line: the line in the file where `text` begins.
    Raises InvalidSkill: no YAML, no mapping, a tag such as `!!python/object`, an alias, a key twice, or nested too
        deeply.
    """
    try:
        found = deepcopy(_load(text))
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = f", line {mark.line + first_line}, column {mark.column + 1}" if mark else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        raise InvalidSkill(f"{where}{line}: {problem}", hint="correct the YAML there", file=where) from None
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise InvalidSkill(
            f"{where} must be a mapping of names to values", hint="write lines such as 'key: value'"
        )
    return found


def dump_mapping(data: dict[str, Any]) -> str:
    """Write plain data as YAML that `load_mapping` reads back equal."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def place_of(text: str, path: tuple[str | int, ...]) -> tuple[int, int]:
    """Line and column (from 1) where a value begins, or where the deepest part of its path does."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    mark = node.start_mark if node else None
    for part in path:
        found = None
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = (node.value[part], node.value[part])
        if found is None:
            break
        mark, node = found[0].start_mark, found[1]
    return (int(mark.line) + 1, int(mark.column) + 1) if mark else (1, 1)


MAX_BYTES = 1_000_000
Loc = tuple[str | int, ...]


class Document(NamedTuple):
    """A Markdown file: its frontmatter as data and as text, and its body."""

    fields: dict[str, Any]
    yaml: str
    body: str


def read_text(path: Path) -> str:
    """Read a skill's file as UTF-8 with unified line ends.

    Raises SkillNotFound: there is no such file.
    Raises InvalidSkill: a link, no regular file, too large, or not UTF-8.
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

    required: whether a file without frontmatter is refused.
    Raises InvalidSkill: no frontmatter, one that isn't closed, or bad YAML in it.
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

    yaml: the text that was validated, to find the line in.
    locate: turns a place in the model into the place in the file.
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
