"""Making a skill: from a demonstration, from the journal, from a run."""
