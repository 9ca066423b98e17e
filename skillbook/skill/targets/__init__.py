"""Finding the control that a step names, also where the page changed."""
