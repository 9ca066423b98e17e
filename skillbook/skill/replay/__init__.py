"""Running a skill's steps without a model."""
