"""What a run gave, for whoever asks for it: rows, facts, text, files."""
