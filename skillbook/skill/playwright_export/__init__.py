"""A skill as a Python script for Playwright, with role locators: nobody is locked in."""
