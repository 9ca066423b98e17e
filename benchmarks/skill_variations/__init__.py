"""Skills in three ways on other people's applications, replayed on what varies."""
