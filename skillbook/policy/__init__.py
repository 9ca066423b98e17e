"""What may happen: pure verdicts on commands, origins and effects, approvals, learned rules, and secrets by name."""

from __future__ import annotations

from skillbook.policy.approvals import Approvals, Binding, Kind, Rule, learnable_kind
from skillbook.policy.effects import classify
from skillbook.policy.request_rules import RequestRule, learnable_request
from skillbook.policy.rules import Call, Policy, Verdict
from skillbook.policy.secrets import Secret, SecretStore, secret

__all__ = [
    "Approvals",
    "Binding",
    "Call",
    "Kind",
    "Policy",
    "RequestRule",
    "Rule",
    "Secret",
    "SecretStore",
    "Verdict",
    "classify",
    "learnable_kind",
    "learnable_request",
    "secret",
]
