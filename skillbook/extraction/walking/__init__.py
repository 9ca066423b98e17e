"""From page to page and screen to screen until all rows are read."""
