"""What a run remembers: steps, tasks, forks and checkpoints."""
