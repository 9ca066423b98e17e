"""Fields that were filled, and what pages make of them later: when they lose the focus, or by themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

from skillbook.errors import NotActionable
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.commands import COMMANDS, Command
from skillbook.session.action import PreparedAction
from skillbook.session.page.same_value import says_the_same

_CHOICES = frozenset({"option", "listitem", "menuitem", "treeitem", "gridcell"})
CHECKS = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
_ONLY_MOVES = frozenset({"Tab", "Shift+Tab"})
_HIDDEN = "a hidden value"  # of a secret field, of which a page shows no more than that it isn't empty


@dataclass
class FilledFields:
    """What fields held right after they were filled, by ref, until the next action on the page is done."""

    held: dict[str, str] = field(default_factory=dict)

    def require_kept(self, action: PreparedAction | None, now: Snapshot | None) -> None:
        """Fails where the page has changed a field by itself since it was filled: once for each change.

        Parameters
        ----------
        action : what is to be done next; None at the end.
        now : the page before it; None where it can't be read.

        Raises
        ------
        NotActionable : a value was set, clamped or put back late, as by a validator that waits for a pause.
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

    def changed_by_page(self, action: PreparedAction, now: Snapshot | None) -> tuple[str, ...]:
        """What to say of fields that an earlier action filled and that hold something else now.

        Parameters
        ----------
        action : what was done since.
        now : the page after it; None where it can't be read.
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
        if ref is not None and ref in now and sets(COMMANDS[action.command], now[ref]) and value_of(now[ref]):
            self.held[ref] = value_of(now[ref])
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
    return node.role in CHECKS or node.tag.partition(".")[0] == "select"


def value_of(node: Node) -> str:
    """What a control holds; of a secret one only that it holds something."""
    if node.role in CHECKS:
        return "checked" if "checked" in node.states else "unchecked"
    if "secret" in node.states and node.extra.get("value") is None:
        return _HIDDEN
    return str(node.extra.get("value") or "")
