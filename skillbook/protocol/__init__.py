"""What crosses the wire between the kernel and the extension: envelopes, commands, events, snapshots."""

from __future__ import annotations

PROTOCOL_MAJOR = 1
PROTOCOL_MINOR = 32
PROTOCOL_VERSION = f"{PROTOCOL_MAJOR}.{PROTOCOL_MINOR}"
