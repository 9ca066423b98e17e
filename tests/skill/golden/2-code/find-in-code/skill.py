"""Find a lamp"""

from skillbook.cells.in_kernel import sb


def run(page, *, query: str = 'lamp'):
    # cell 1
    page.fill("searchbox 'Search'", query)
    page.click("button 'Go'")
    # cell 2
    return [page.title]
