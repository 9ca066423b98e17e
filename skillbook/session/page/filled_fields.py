"""Fields that were filled, and what pages make of them later: another form of the same value, or another value."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from itertools import pairwise

from skillbook import lexicon
from skillbook.errors import NotActionable
from skillbook.lexicon import fold, letters
from skillbook.perception.nodes import Node
from skillbook.perception.roles import RECORDS
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.commands import COMMANDS, Command
from skillbook.session.action import PreparedAction

_AMOUNT = re.compile(r"[-−+]?\d*[.,]?\d+")
_NUMBER = re.compile(r"([^\d]*?)([.,]?\d[\d.,]*)([^\d]*)")
_MOMENT = re.compile(r"\s*\d{1,4}([-/.]\d{1,2}){2,}|\d{1,2}([-/.]\d{1,2})[-/.]\d{2,4}|\d:\d\d")
_LONGEST = 1000  # characters; what is longer is a text
_WORD = re.compile(r"[^\W\d_]{3,}")


def shows(shown: str, value: str) -> bool:
    """Whether a text is a value in another form: formatted, completed, or a day or time written otherwise.

    Not where a part is dropped, words are joined, or it is another number, word or day.
    """
    if shown.strip() == value.strip():
        return True
    if max(len(shown), len(value)) > _LONGEST:
        return letters(shown) == letters(value)
    if not letters(value):
        return bool(shown) and not letters(shown)
    if _AMOUNT.fullmatch(value.strip()):
        return _is_same_amount(shown, value)
    if _loses_decimals(shown, value):
        return False
    return _is_same_text(shown, value) or _is_same_moment(shown, value)


def says_the_same(earlier: str, later: str) -> bool:
    """Whether what a field shows by now is what it showed; pages also take the form off a number again."""
    if shows(later, earlier):
        return True
    takes_off = _AMOUNT.fullmatch(later.strip()) and not _AMOUNT.fullmatch(earlier.strip())
    return bool(takes_off) and _is_same_amount(earlier, later)


def _parts(text: str) -> list[str]:
    """Runs of letters, and runs of digits without leading zeros."""
    found = re.findall(r"\d+|[^\W\d_]+", fold(text))
    return [re.sub(r"^0+(?=.)", "", part) for part in found]


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _amounts(text: str) -> list[float]:
    """The numbers that a text can be read as, by what it has as the decimal sign; none where it isn't one number."""
    bare = re.sub(r"[\s'’_]", "", unicodedata.normalize("NFKC", text)).replace("−", "-")
    found = _NUMBER.fullmatch(bare)
    if found is None:
        return []
    front, digits, back = found.groups()
    is_negative = "-" in front or back.startswith("-") or ("(" in front and ")" in back)
    numbers = []
    for group, decimal in ((",", "."), (".", ",")):
        whole, _, rest = digits.partition(decimal)
        if decimal in rest or group in rest:
            continue
        if group in whole and not re.fullmatch(
            rf"\d{{1,3}}({re.escape(group)}\d{{2,3}})*{re.escape(group)}\d{{3}}", whole
        ):
            continue
        numbers.append(float(f"{whole.replace(group, '') or '0'}.{rest or '0'}"))
    return [-number for number in numbers] if is_negative else numbers


def _is_same_amount(shown: str, value: str) -> bool:
    """Whether a text shows a number: grouped, with a unit, as a code in groups, or as a time or a date."""
    plain = value.strip().removeprefix("+").replace("−", "-")
    wanted = float(plain.replace(",", "."))
    if wanted in _amounts(shown):
        return True
    if re.search(r"[.,]", plain) or plain.startswith("-") or re.search(r"\d[.,]\d{1,2}\D*$", shown):
        return False
    text, bare = shown.strip(), _digits(shown)
    runs = [part for part in _parts(shown) if part.isdigit()]
    if (len(runs) > 1 or re.search(r"\D", text)) and bare.lstrip("0") == plain.lstrip("0"):
        return True
    # A country's code before a telephone number, and the minutes that a page adds to an hour.
    if text.startswith("+") and len(plain) > 3 and bare.endswith(plain.lstrip("0")):
        return True
    hour = re.fullmatch(r"0*(\d+)(:00)+", text)
    return hour is not None and int(hour[1]) == wanted


def _loses_decimals(shown: str, value: str) -> bool:
    """Whether a number with a unit became another one: "1250" for "$12.50"."""
    now, wanted = _amounts(shown), _amounts(value)
    return bool(re.search(r"\d[.,]\d", value) and now and wanted) and set(now).isdisjoint(wanted)


def _is_same_text(shown: str, value: str) -> bool:
    """Whether a text has the same words and numbers; a page may complete it, but not join or drop words."""
    now, wanted = _parts(shown), _parts(value)
    if now == wanted:
        return True
    joined, whole = letters(shown), letters(value)
    words = [bool(part and not part.isdigit()) for part in wanted]
    if joined == whole:
        # Groups of codes ("DE89 3704") are parted and joined; words are not, nor is a day parted wrongly.
        has_plain_words = any(one and other for one, other in pairwise(words))
        return not has_plain_words and (not _MOMENT.search(value) or shown.strip().isdigit())
    if whole.isdigit() and joined.isdigit():
        one, other = _digits(shown).lstrip("0"), _digits(value).lstrip("0")
        return shown.strip().startswith("+") and len(other) > 3 and one.endswith(other)
    # The last word may be completed.
    size, last = len(wanted), wanted[-1] if wanted else ""
    return size > 0 and any(
        now[at : at + size - 1] == wanted[:-1]
        and (now[at + size - 1] == last or (words[-1] and now[at + size - 1].startswith(last)))
        for at in range(len(now) - size + 1)
    )


def _is_same_moment(shown: str, value: str) -> bool:
    """Whether two texts write one day or time in two ways."""
    now, wanted = ([part for part in _parts(text) if part.isdigit()] for text in (shown, value))
    if len(wanted) < 2 or not re.search(r"\d[./:\-\s,]|:", value):
        return False
    days = _day(shown), _day(value)
    if all(days) and (_WORD.search(shown) or _WORD.search(value)):
        return days[0] == days[1]
    is_clock = _has_half(shown) != _has_half(value)
    named = 1 if _WORD.search(shown) and not _WORD.search(value) else 0
    missing = [part for part in wanted if not any(_is_same_number(one, part, is_clock) for one in now)]
    if len(missing) > named or (missing and int(missing[0]) > 12):
        return False
    # The same place of the year and other numbers in it is another day.
    if len(now) != len(wanted) or _year_at(now) != _year_at(wanted) or _year_at(now) < 0:
        return True
    return all(_is_same_number(one, part, is_clock) for one, part in zip(now, wanted, strict=True))


def _has_half(text: str) -> bool:
    return re.search(r"(?i)[ap]\.?\s?m\b", text) is not None


def _is_same_number(one: str, other: str, is_clock: bool) -> bool:
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(long) == 4 and len(short) <= 2:
        return int(long) % 100 == int(short)
    return is_clock and int(one) % 12 == int(other) % 12 and max(int(one), int(other)) < 24


def _year_at(numbers: list[str]) -> int:
    return next((at for at, part in enumerate(numbers) if len(part) == 4), -1)


def _day(text: str) -> tuple[int, int, int] | None:
    """Year, month and day of a date with the month in words, or of an ISO or American one."""
    parts = _parts(text)
    numbers = [int(part) for part in parts if part.isdigit()]
    known = [lexicon.months(short=True).get(part) or _english_month(part) for part in parts if part.isalpha()]
    months = [month for month in known if month]
    if len(numbers) == 2 and len(months) == 1:
        return max(numbers), months[0], min(numbers)
    if months or len(numbers) != 3 or any(part.isalpha() for part in parts):
        return None
    return (numbers[0], numbers[1], numbers[2]) if numbers[0] > 31 else (numbers[2], numbers[0], numbers[1])


def _english_month(word: str) -> int | None:
    """The number of a month that is cut off somewhere: "Sept"."""
    found = {
        number for name, number in lexicon.months("en").items() if len(word) > 2 and name.startswith(word)
    }
    return found.pop() if len(found) == 1 else None


_CHOICES = (RECORDS - {"row", "article"}) | {"option", "menuitem", "gridcell"}
CHECKS = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
_TYPED_INTO = frozenset({"input", "textarea"})
_ONLY_MOVES = frozenset({"Tab", "Shift+Tab"})
_HIDDEN = "a hidden value"  # of a secret field, of which a page shows no more than that it isn't empty


@dataclass
class FilledFields:
    """What fields held right after they were filled, by ref, until the next action on the page is done."""

    held: dict[str, str] = field(default_factory=dict)

    def require_kept(self, action: PreparedAction | None, now: Snapshot | None) -> None:
        """Fails where the page has changed a field by itself since it was filled: once for each change.

        action: what is to be done next; None at the end.
        now: the page before it; None where it can't be read.
        Raises NotActionable: a value was set, clamped or put back late, as by a validator that waits for a pause.
        """
        node = action.target.node if action and action.target else None
        if now is None or (node is not None and node.role in _CHOICES):
            return
        ref = node.ref if node is not None else None
        for each, value in list(self.held.items()):
            found = now[each] if each != ref and each in now else None
            # What is empty by itself was taken: as tags are, or a message that was sent.
            if found is None or not value_of(found) or says_the_same(value, value_of(found)):
                continue
            if _HIDDEN in (value, value_of(found)):
                continue  # what is secret in one of the two looks can't be compared
            self.held[each] = value_of(found)
            raise NotActionable(
                f"{found.role} {found.name!r} held {value!r} when it was set; since then the page has changed that to "
                f"{value_of(found)!r}; nothing more was done",
                hint="set it to what the page takes, or do this again to go on as it is",
                reason="value_changed",
                ref=each,
            )

    def forget(self, action: PreparedAction) -> None:
        """What an action that failed left in its target is not the page's doing."""
        self.held.pop(action.target.ref if action.target else "", None)

    def changed_by_page(
        self, action: PreparedAction, now: Snapshot | None, at_once: Snapshot | None = None
    ) -> tuple[str, ...]:
        """What to say of fields that an earlier action filled and that hold something else now.

        action: what was done since.
        now: the page after it; None where it can't be read.
        at_once: its target right after it, where what it caused was waited for since.
        """
        earlier, self.held = self.held, {}
        node = action.target.node if action.target else None
        if now is None:
            return ()
        ref = node.ref if node is not None else None
        notes = []
        # Who chooses from what a field offers wants it to hold that.
        for each, value in earlier.items() if node is None or node.role not in _CHOICES else ():
            found = now[each] if each != ref and each in now else None
            # What one chooses may depend on what is done next.
            if found is None or _is_choice(found) or (not value_of(found) and _may_send(action)):
                continue
            if says_the_same(value, value_of(found)):
                # The page may still change it when it loses the focus, or once its server has answered.
                may_change = "focused" in found.states or not _may_send(action)
                self.held |= {each: value} if may_change else {}
                continue
            notes.append(
                f"{found.role} {found.name!r} held {value!r} when it was filled; "
                f"the page has changed that to {value_of(found)!r}"
            )
        first = at_once if at_once is not None and ref is not None and ref in at_once else now
        if (
            ref is not None
            and ref in first
            and sets(COMMANDS[action.command], first[ref])
            and value_of(first[ref])
        ):
            self.held[ref] = value_of(first[ref])
        return tuple(notes)


def lost_upload(action: PreparedAction, now: Snapshot | None, *, shows_nothing: bool) -> tuple[str, ...]:
    """What to say where a page emptied a file field at once, and shows nothing of the file either."""
    node = action.target.node if action.target else None
    if action.command != "upload" or now is None or not shows_nothing or node is None or node.ref not in now:
        return ()
    found = now[node.ref or ""]
    if found.extra.get("type") != "file" or value_of(found):
        return ()
    return (
        f"{found.role} {found.name!r} is empty again and the page shows nothing of the file: "
        "it may have sent it, or refused it",
    )


def _may_send(action: PreparedAction) -> bool:
    """Whether an action may send a form: a field that is blank after that was reset, and not changed."""
    spec = COMMANDS[action.command]
    if action.command == "press" and action.params.get("key") in _ONLY_MOVES:
        return False
    return not spec.only_prepares and (spec.shows_outcome or not spec.takes_focus)


def sets(spec: Command, node: Node) -> bool:
    """Whether an action gives its target a value: a text, a choice or a check."""
    ticks = node.role in CHECKS and spec.takes_focus and not spec.presses_keys and not spec.shows_outcome
    return spec.edits_text or spec.sets_value or ticks


def _is_choice(node: Node) -> bool:
    """Whether an element offers what it may hold, and nothing is typed into it."""
    tag = node.tag.partition(".")[0]
    return node.role in CHECKS or tag == "select" or (node.role == "combobox" and tag not in _TYPED_INTO)


def value_of(node: Node) -> str:
    """What a control holds; of a secret one only that it holds something."""
    if node.role in CHECKS:
        return "checked" if "checked" in node.states else "unchecked"
    if "secret" in node.states and node.extra.get("value") is None:
        return _HIDDEN
    return str(node.extra.get("value") or "")
