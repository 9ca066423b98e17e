"""What a person decides: calls, requests that are paused, and requests for help."""
