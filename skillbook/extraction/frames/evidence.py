"""What was checked before a frame was called complete: laws that know nothing of the page, in words and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from skillbook.perception.escape import quote

Law = Literal["text", "count", "answers", "rules"]


@dataclass(frozen=True)
class Check:
    """What became of one law.

    law: which one. "text": each visible text is in a cell, in a column's name or in a note. "count": there are as many
        rows as the page says. "answers": no request of the reading failed. "rules": what was taken for granted of a
        column is in its rule.
    holds: nothing breaks it.
    says: what was checked and found, in a sentence without a full stop.
    facts: the same as data, of values that JSON has.
    """

    law: Law
    holds: bool
    says: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.law}: {self.says}"


def check_of_rules(rules: Mapping[str, str]) -> Check:
    """What was taken for granted of columns: it is said, so that the law holds."""
    words = "; ".join(f"{quote(column, 40)} {rule}" for column, rule in rules.items())
    return Check("rules", True, words or "nothing was taken for granted of a column", dict(rules))


@dataclass(frozen=True)
class Evidence:
    """The checks of a frame, in the order in which they were made; one law may have several."""

    checks: tuple[Check, ...] = ()

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def __str__(self) -> str:
        return "\n".join(map(str, self.checks))

    def __repr__(self) -> str:
        return f"<Evidence {'; '.join(map(str, self.checks)) or 'of nothing'}>"

    @property
    def broken(self) -> tuple[Check, ...]:
        """The checks of laws that don't hold."""
        return tuple(check for check in self.checks if not check.holds)

    def of(self, law: Law) -> tuple[Check, ...]:
        """The checks of one law."""
        return tuple(check for check in self.checks if check.law == law)

    def with_checks(self, *checks: Check) -> Evidence:
        """The same with others after these."""
        return Evidence((*self.checks, *checks))

    def to_list(self) -> list[dict[str, Any]]:
        """Its checks as JSON has them."""
        return [{**asdict(check), "facts": dict(check.facts)} for check in self.checks]

    @classmethod
    def from_list(cls, checks: list[dict[str, Any]]) -> Evidence:
        """Checks that `to_list` gave."""
        return cls(tuple(Check(**check) for check in checks))
