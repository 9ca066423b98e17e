"""A browser, its pages and their elements; every command passes the gateway."""

from skillbook.twin import check_twins

check_twins()
