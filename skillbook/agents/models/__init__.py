"""Which chat model a run uses, what it costs, and where its calls are traced."""
