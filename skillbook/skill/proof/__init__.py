"""Judging a skill: replays that must come out alike, and pages that changed."""
