"""Errors of this machine: settings, folders, the browser that is started, the connection to it."""

from __future__ import annotations

from skillbook.errors.error_base import SkillbookError


class ConfigError(SkillbookError):
    code = "config"
    default_hint = "check the SKILLBOOK_* environment variables and the .env file"


class StorageError(SkillbookError):
    """`data` has the `path`, and the `setting` that chooses it where there is one."""

    code = "storage"
    default_hint = "free some disk space, or choose a folder that you can write to"


class LaunchError(SkillbookError):
    code = "launch"
    default_hint = "run `skillbook doctor`"


class BrowserNotFound(LaunchError):
    code = "browser_not_found"
    default_hint = "install Chromium, or name one with SKILLBOOK_CHROMIUM; `skillbook doctor` reports more"


class ExtensionNotBuilt(LaunchError):
    code = "extension_not_built"
    default_hint = "from a checkout run `make build`; an installed wheel contains it, so reinstall skillbook"


class LaunchFailed(LaunchError):
    code = "launch_failed"
    default_hint = "run `skillbook doctor`: it says what the browser wrote"


class ProfileInUse(LaunchError):
    code = "profile_in_use"
    default_hint = "close the browser that has it, or use another profile"


class BridgeError(SkillbookError):
    code = "bridge"
    default_hint = "look at `browser.status`, or start again with `sb.launch()` or `sb.connect()`"


class PortInUse(BridgeError):
    code = "port_in_use"
    default_hint = "leave the port out to get a free one; skillbook never ends the process that owns it"


class ServeRunning(BridgeError):
    code = "serve_running"
    default_hint = "use that one, or end it first"


class PairingFailed(BridgeError):
    code = "pairing_failed"
    default_hint = "open the pairing link again; each link works once and for a short time"


class AuthFailed(BridgeError):
    code = "auth_failed"
    default_hint = "pair again: `sb.connect()` shows a new link"


class VersionMismatch(BridgeError):
    code = "version_mismatch"
    default_hint = "update the extension: `skillbook extension` prints the folder to load"


class ProtocolError(BridgeError):
    code = "protocol"
    default_hint = "update skillbook and its extension to the same version"


class NotConnected(BridgeError):
    code = "not_connected"
    retryable = True
    default_hint = (
        "start a browser with `sb.launch()`, pair yours with `sb.connect()`, or again with `browser.pair()`"
    )


class BrowserEnded(NotConnected):
    code = "browser_ended"
    retryable = False
    default_hint = "`browser.relaunch()` starts it again, without its tabs"


class ConnectionLost(BridgeError):
    code = "connection_lost"
    default_hint = "look at the page before you try again: the command may have happened"


class ThreadError(SkillbookError):
    code = "thread"
    default_hint = "use the awaitable API (`sb.aio`) there"
