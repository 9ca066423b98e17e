"""The kernel's end of the wire: a WebSocket server on loopback, its state machine, and pairing."""
