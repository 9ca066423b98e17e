"""One task: building its agent, stepping it, and showing it as tables."""
