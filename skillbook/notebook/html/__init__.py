"""Static HTML: what stays in a saved notebook."""
