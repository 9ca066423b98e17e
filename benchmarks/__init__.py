"""Benchmarks: skillbook against Playwright, in one run on one browser. Run by `make bench`."""
