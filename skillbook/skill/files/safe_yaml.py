"""YAML of skill files: plain data only, bounded in depth, without aliases."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from typing import Any, NoReturn

import yaml

from skillbook.errors import InvalidSkill

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

    Parameters
    ----------
    text : the YAML.
    where : the file, for messages.
    first_line : the line in the file where `text` begins.

    Raises
    ------
    InvalidSkill : no YAML, no mapping, a tag such as `!!python/object`, an alias, a key twice, or nested too deeply.
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
