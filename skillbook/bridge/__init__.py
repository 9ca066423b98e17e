"""The kernel's end of the wire: a WebSocket server on loopback, its state machine, and pairing."""

from __future__ import annotations

from skillbook.bridge.pairing import Pairing
from skillbook.bridge.server import BridgeServer
from skillbook.bridge.status import BridgeStatus

__all__ = ["BridgeServer", "BridgeStatus", "Pairing"]
