"""The kernel's end of the wire: a WebSocket server on loopback, its state machine, and pairing."""

from __future__ import annotations

from skillbook.bridge.conversation import BridgeStatus
from skillbook.bridge.pairing import Pairing
from skillbook.bridge.server import BridgeServer

__all__ = ["BridgeServer", "BridgeStatus", "Pairing"]
