"""Behind the table: rows of the screen in the JSON answers that the page got, and the rows after them."""
