"""Sentences of a Markdown page, without code, tables, headings and addresses; `python -m tests.prose` counts them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: What generators write from measurements; their sentences stand in the generators.
GENERATED = {
    "attacks.md",
    "benchmarks.md",
    "builtin_skills_measured.md",
    "commands.md",
    "conformance.md",
    "errors.md",
    "exploration_measured.md",
    "records_measured.md",
    "soak.md",
    "tool_calls_measured.md",
}
#: What people wrote for those who work on skillbook: in the repository, not in the site.
MAINTAINERS = {"README.md", "faults.md", "lexicon.md"}
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.)\s+")
_END = re.compile(r"(?<=[.!?])[)\"'*_]*\s+(?=[A-Z`\"'(\[*☝⤢❐]|$)")
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|vs|etc)\.$")
_ODD = re.compile(r"^\W*(?:What|Where|Whatever|How|That)\b")


def pages() -> list[Path]:
    """The pages that people wrote."""
    found = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "sections").glob("*.md")]
    docs = sorted(path for path in found if path.name not in GENERATED)
    names = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "skills/README.md")
    return [*(ROOT / name for name in names), *docs]


def user_pages() -> list[Path]:
    """The pages for users that people wrote: what the documentation's site has, and both READMEs."""
    found = sorted((ROOT / "docs").glob("*.md"))
    docs = [path for path in found if path.name not in GENERATED | MAINTAINERS]
    return [ROOT / "README.md", *docs, ROOT / "skills" / "README.md"]


def sentences(markdown: str) -> list[str]:
    """Split a page into sentences. A list item is a sentence of its own; inline code and links count as their text."""
    found: list[str] = []
    for block in _blocks(markdown):
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", block)
        text = re.sub(r"`[^`]*`", lambda code: "`" + re.sub(r"[\s.!?:]+", "_", code[0][1:-1]) + "`", text)
        rest = ""
        for part in _END.split(" ".join(text.split())):
            rest = f"{rest} {part}".strip()
            if not _ABBREVIATED.search(rest):
                found.append(rest)
                rest = ""
        found.append(rest)
    return [each for each in found if len(each.split()) > 1]


def _blocks(markdown: str) -> Iterator[str]:
    lines: list[str] = []
    is_code = False
    for line in [*markdown.splitlines(), ""]:
        fence = line.lstrip().startswith("```")
        is_code ^= fence
        skipped = fence or is_code or line.lstrip().startswith(("|", "#", "<!--", ":::", ":link"))
        if skipped or not line.strip() or _ITEM.match(line):
            if lines:
                yield " ".join(lines)
            lines = [] if skipped or not line.strip() else [_ITEM.sub("", line, count=1)]
        else:
            lines.append(line)


@dataclass(frozen=True)
class Figures:
    """What was counted: sentences, those that begin with a what-clause, that have `if`, that are long, the longest."""

    count: int
    odd: int
    conditions: int
    long: int
    longest: int

    @classmethod
    def of(cls, found: list[str]) -> Figures:
        """Count."""
        lengths = [len(each.split()) for each in found]
        return cls(
            count=len(found),
            odd=sum(bool(_ODD.match(each)) for each in found),
            conditions=sum(bool(re.search(r"\b[Ii]f\b", each)) for each in found),
            long=sum(length > 35 for length in lengths),
            longest=max(lengths, default=0),
        )

    def __str__(self) -> str:
        share = 100 * self.odd / max(1, self.count)
        return (
            f"{self.count:5} sentences, {self.odd} ({share:.1f} %) begin with What/Where/Whatever/How/That, "
            f"{self.conditions} with if, {self.long} over 35 words, longest {self.longest}"
        )


def main(commit: str = "") -> None:
    """Print the figures of each page and of all, as they are or as they were at a commit."""
    every: list[str] = []
    for path in pages():
        name = path.relative_to(ROOT).as_posix()
        if commit:
            shown = subprocess.run(
                ["git", "show", f"{commit}:{name}"],
                capture_output=True,
                text=True,
                cwd=ROOT,
                check=False,
            )
            text = shown.stdout
        else:
            text = path.read_text(encoding="utf-8")
        found = sentences(text)
        every += found
        print(f"{name:26} {Figures.of(found)}")
    print(f"{'all':26} {Figures.of(every)}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
