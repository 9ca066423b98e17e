"""Runs as the side panel sees them: of an agent, of a skill, of a workflow."""
