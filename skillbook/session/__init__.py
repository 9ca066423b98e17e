"""A browser, its pages and their elements; every command passes the gateway."""
