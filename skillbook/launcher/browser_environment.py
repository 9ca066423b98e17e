"""The environment that a browser starts in: what it needs of ours, and nothing else. Keys and secrets stay here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

_NEEDED = {
    "user and programs": "HOME USER LOGNAME PATH SHELL HOSTNAME PWD",
    "language and time": "LANG LANGUAGE LC_\\w+ TZ TZDIR",
    "folders": "TMPDIR TMP TEMP XDG_\\w+ SNAP(_\\w+)? FLATPAK_\\w+ CONTAINER",
    "display and input": "DISPLAY XAUTHORITY WAYLAND_\\w+ GDK_\\w+ GTK_\\w+ QT_\\w+ XMODIFIERS XCURSOR_\\w+ "
    "DESKTOP_SESSION SESSION_MANAGER GNOME_DESKTOP_SESSION_ID KDE_FULL_SESSION KDE_SESSION_VERSION DESKTOP_STARTUP_ID "
    "AT_SPI_\\w+ NO_AT_BRIDGE",
    "other programs": "DBUS_\\w+ PULSE_\\w+ PIPEWIRE_\\w+",
    "network": "(https?|ftp|all|no|auto)_proxy SSL_CERT_FILE SSL_CERT_DIR KRB5CCNAME KRB5_CONFIG RES_OPTIONS",
    "fonts and libraries": "FONTCONFIG_\\w+ FC_\\w+ LD_LIBRARY_PATH LD_PRELOAD DYLD_\\w+ NIX_PROFILES NIX_LD\\w* "
    "LOCALE_ARCHIVE",
    "graphics": "LIBGL_\\w+ LIBVA_\\w+ MESA_\\w+ VK_\\w+ __GLX?_\\w+ __EGL_\\w+ EGL_\\w+ GBM_\\w+ DRI_PRIME",
    "Chromium": "CHROME_DEVEL_SANDBOX CHROME_DESKTOP CHROME_WRAPPER CHROME_EXTRA_FLAGS CHROME_CONFIG_HOME "
    "CHROMIUM_FLAGS CHROMIUM_USER_FLAGS",
    "macOS": "__CF\\w+ COMMAND_MODE XPC_\\w+",
    "Windows": "SYSTEMROOT WINDIR SYSTEMDRIVE COMSPEC PATHEXT OS PUBLIC PROGRAMDATA PROGRAMW6432 "
    "PROGRAMFILES(\\(X86\\))? COMMONPROGRAMFILES(\\(X86\\))? COMMONPROGRAMW6432 ALLUSERSPROFILE USERPROFILE APPDATA "
    "LOCALAPPDATA HOMEDRIVE HOMEPATH USERNAME USERDOMAIN COMPUTERNAME NUMBER_OF_PROCESSORS PROCESSOR_\\w+ "
    "SESSIONNAME DRIVERDATA",
}
_IS_NEEDED = re.compile("|".join(f"(?:{name})" for names in _NEEDED.values() for name in names.split()), re.I)


def browser_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that a browser gets: a list of names, so that a secret with a new name isn't one of them.

    Parameters
    ----------
    environ : what they are taken from; this process's environment by default.
    """
    given = os.environ if environ is None else environ
    return {name: value for name, value in given.items() if _IS_NEEDED.fullmatch(name)}
