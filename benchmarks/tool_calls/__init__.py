"""The same scripted tasks through different tools for agents, without a model."""
