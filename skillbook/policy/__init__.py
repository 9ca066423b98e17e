"""What may happen: pure verdicts on commands, origins and effects, and secrets by name."""

from __future__ import annotations

from skillbook.policy.effects import classify
from skillbook.policy.rules import Call, Policy, Verdict
from skillbook.policy.secrets import Secret, SecretStore, secret

__all__ = ["Call", "Policy", "Secret", "SecretStore", "Verdict", "classify", "secret"]
