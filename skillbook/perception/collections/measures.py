"""Measures that readers of rows share, with a reason for each."""

import re

NEAR = 4
"""Pixels by which what belongs together may be apart: a border and a rounding on either side."""
SEVERAL = 2
"""Of one kind: fewer show no structure."""
HALF = 0.5
"""Share from which something is true of most."""
NEARLY_ALL = 0.8
"""Share from which something is true of a whole column or list: one in five may be blank, or made otherwise."""
LARGE_SAMPLE = 500
"""Values that show what a column is made of."""
SAMPLE = 25
"""Rows or items that show what a whole list is made of."""
NUMBER = re.compile(r"[^\w]*(?:[^\W\d]{1,4}[^\w]+)?\d[\d.,'’\s%]*[^\w]*(?:[^\W\d]{1,3})?[^\w]*\Z")
"""A text that is a number, with what may stand around it: a currency, a unit, "%", brackets."""
