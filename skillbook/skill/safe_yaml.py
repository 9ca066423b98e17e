"""YAML that can't hurt: plain data only, bounded in size, depth and aliases."""

from __future__ import annotations

from typing import Any

import yaml

from skillbook.errors import InvalidSkill

MAX_BYTES = 1_000_000
MAX_DEPTH = 40
MAX_NODES = 50_000


class _Loader(yaml.SafeLoader):
    """`SafeLoader` with strings where YAML 1.1 sees dates, and duplicate keys refused."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            text = str(key.value)
            if text in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {text!r} is there twice", key.start_mark
                )
            seen.add(text)
        return super().construct_mapping(node, deep)


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


class _Refused(yaml.YAMLError):
    """Valid YAML that is not let in."""

    def __init__(self, problem: str, event: yaml.Event) -> None:
        super().__init__(problem)
        self.problem = problem
        self.problem_mark = event.start_mark


def load_mapping(text: str, where: str, first_line: int = 1) -> dict[str, Any]:
    """Read a YAML mapping of plain data.

    Parameters
    ----------
    text : the YAML.
    where : the file, for messages.
    first_line : the line in the file where `text` begins.

    Raises
    ------
    InvalidSkill : no YAML, no mapping, a tag such as `!!python/object`, an alias, or too big or too deep.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise InvalidSkill(f"{where} is larger than {MAX_BYTES:,} bytes", hint="keep data out of skill files")
    try:
        _check_events(text)
        found = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        line = f", line {mark.line + first_line}" if mark else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        raise InvalidSkill(f"{where}{line}: {problem}", hint="correct the YAML there", file=where) from None
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise InvalidSkill(
            f"{where} must be a mapping of names to values", hint="write lines such as 'key: value'"
        )
    return found


def _check_events(text: str) -> None:
    depth = nodes = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise _Refused("aliases (*name) are not allowed", event)
        if isinstance(event, yaml.NodeEvent):
            nodes += 1
            tag = getattr(event, "tag", None)
            if tag not in (None, "!"):
                raise _Refused(f"the tag {tag} is not allowed", event)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise _Refused("nested too deeply", event)
        if nodes > MAX_NODES:
            raise _Refused("too many values", event)


def dump_mapping(data: dict[str, Any]) -> str:
    """Write plain data as YAML that `load_mapping` reads back equal."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


def line_of(text: str, path: tuple[str | int, ...]) -> int:
    """The line (from 1) where a value begins, or where the deepest part of its path does."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line = node.start_mark.line if node else 0
    for part in path:
        found = None
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = (node.value[part], node.value[part])
        if found is None:
            break
        line, node = found[0].start_mark.line, found[1]
    return int(line) + 1
