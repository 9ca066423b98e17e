"""What a task needs next on a page: hand-written (page, the task's words, the control) triples."""

from __future__ import annotations

from typing import NamedTuple


class Wanted(NamedTuple):
    """One triple; `control` is a selector, and any element that it matches counts."""

    app: str
    path: str
    words: str
    control: str


_DJANGO, _USER, _ITEMS = "/admin/", "/admin/auth/user/1/change/", "/admin/shop/item/"
_JQUERY = "/usr/share/doc/libjs-jquery-ui-docs/examples"
WANTED = [
    Wanted(app, path, words, control)
    for app, path, pairs in (
        ("django", _DJANGO, (
            ("add a user", "link 'Add' in row 'Users'"),
            ("see the groups", "link 'Groups'"),
            ("change the items", "link 'Items'"),
            ("sign out", "button 'Log out'"),
            ("change my password", "link 'Change password'"),
            ("use the dark theme", "button ~'Toggle theme'"),
        )),
        ("django", _USER, (
            ("set the e-mail address", "textbox 'Email address:'"),
            ("make the user inactive", "checkbox 'Active'"),
            ("save the changes", "button 'Save'"),
            ("save and go on editing", "button 'Save and continue editing'"),
            ("delete this user", "link 'Delete'"),
            ("see the history", "link 'History'"),
            ("give the user a new password", "link 'Reset password'"),
            ("change the last name", "textbox 'Last name:'"),
        )),
        ("django", "/admin/auth/user/add/", (
            ("type the user name", "textbox 'Username:'"),
            ("type the password again", "textbox 'Password confirmation:'"),
            ("save and add another user", "button 'Save and add another'"),
        )),
        ("django", _ITEMS, (
            ("search for a lamp", "textbox 'Search'"),
            ("add an item", "link 'Add item'"),
            ("sort by name", "link 'Name'"),
            ("open item 2", "link '2'"),
            ("choose an action for the selected items", "combobox 'Action:'"),
            ("run the action", "button 'Go'"),
        )),
        ("swagger", "/", (
            ("load another API description", "button 'Explore'"),
            ("show deleting a session", "button ~'DELETE /api/sessions/{session}'"),
            ("how to list terminals", "button ~'GET /api/terminals'"),
            ("switch to the dark mode", "button 'Switch to dark mode'"),
            ("copy a path", "button 'Copy path to clipboard'"),
            ("create a new kernel session", "button ~'POST /api/sessions'"),
            ("rename a file", "button ~'PATCH /api/contents/{path}'"),
            ("restart a kernel", "button ~'POST /api/kernels/{kernel_id}/restart'"),
        )),
        ("shoelace", "/", (
            ("name the customer", "textbox ~'Customer'"),
            ("choose the country", "combobox 'Country'"),
            ("express delivery", "radio 'Express'"),
            ("wrap it as a gift", "checkbox 'Gift wrap'"),
            ("order the tickets", "button 'Place order'"),
            ("throw the draft away", "button 'Delete draft'"),
            ("choose seats", "tab 'Seats'"),
            ("subscribe to the newsletter", "switch 'Newsletter'"),
        )),
        ("jqueryui", f"{_JQUERY}/dialog/modal-form.html", (("create a user", "button 'Create new user'"),)),
        ("jqueryui", f"{_JQUERY}/autocomplete/default.html", (("type a tag", "textbox ~'Tags'"),)),
        ("jqueryui", f"{_JQUERY}/datepicker/default.html", (("choose the date", "textbox"),)),
        ("jqueryui", f"{_JQUERY}/tabs/default.html", (("open the tab Proin dolor", "tab 'Proin dolor'"),)),
        ("jqueryui", f"{_JQUERY}/checkboxradio/default.html", (
            ("a hotel with four stars", "checkbox '4 Star'"),
            ("choose Paris", "radio 'Paris'"),
        )),
        ("pydocs", "/library/functions.html", (
            ("search the documentation", "textbox 'Quick search'"),
            ("go to the next chapter", "link 'next'"),
            ("go to the previous chapter", "link 'previous'"),
            ("the general index", "link 'index'"),
            ("read about enumerate", "link 'enumerate()'"),
            ("how does sorted work", "link 'sorted()'"),
            ("the module index", "link 'modules'"),
        )),
        ("pydocs", "/library/index.html", (
            ("read about regular expressions", "link ~'Regular expression operations'"),
            ("work with CSV files", "link ~'CSV File Reading'"),
            ("read about threads", "link ~'Thread-based parallelism'"),
            ("SQLite databases", "link ~'SQLite databases'"),
        )),
        ("aggrid", "/", (
            ("filter by customer", "textbox 'Customer Filter Input'"),
            ("go to the next page", "button 'Next Page'"),
            ("go to the last page", "button 'Last Page'"),
            ("filter by country", "textbox 'Country Filter Input'"),
            ("filter by the total", "spinbutton 'Total Filter Input'"),
        )),
        ("fullcalendar", "/", (
            ("go to the next month", "button 'Next month'"),
            ("show the week", "button 'week'"),
            ("show the list of events", "button 'list'"),
            ("go back to today", "button 'today'"),
            ("open meeting 32", "link ~'Meeting 32'"),
        )),
        ("shop", "/product/aurora-desk-lamp", (
            ("put the lamp into the cart", "button 'Add to cart'"),
            ("give it four stars", "button '4 stars'"),
            ("see the cart", "link ~'Cart'"),
            ("what shipping costs", "button 'Calculate'"),
            ("how many pieces", "textbox 'Quantity'"),
        )),
        ("shop", "/search", (
            ("only lamps", "combobox 'Category'"),
            ("sort by price", "combobox 'Sort by'"),
            ("the next page of products", "link 'Next'"),
            ("sign in", "link 'Log in'"),
            ("find a store", "link 'Stores'"),
            ("open the alpaca throw", "link 'Alpaca Throw'"),
        )),
        ("shop", "/stores", (("find stores in my city", "button 'Find stores'"),)),
        ("shop", "/login", (("sign in with my name", "textbox 'Username'"),)),
    )
    for words, control in pairs
]  # fmt: skip
