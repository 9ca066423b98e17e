"""How `skillbook serve` is kept running: a systemd unit, or a line of a crontab."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

_OPTIONS = "serve --launch --headless --profile watches"


def _program() -> str:
    """The command of this installation."""
    found = Path(sys.executable).with_name("skillbook")
    return str(found) if found.exists() else f"{sys.executable} -m skillbook"


def systemd_unit() -> str:
    """A unit for `~/.config/systemd/user/skillbook.service`."""
    folder = os.getcwd().replace("%", "%%")
    return f"""[Unit]
Description=skillbook: skills, watches and the side panel

[Service]
WorkingDirectory={folder}
ExecStart={_program()} {_OPTIONS}
Restart=on-failure
RestartSec=30

[Install]
WantedBy=default.target

# systemctl --user enable --now skillbook; loginctl enable-linger keeps it running when you are signed out."""


def cron_line() -> str:
    """A line that starts it with the computer; one that runs already stays."""
    return f"@reboot cd {shlex.quote(os.getcwd())} && {_program()} {_OPTIONS}".replace("%", "\\%")
