"""How built-in skills and page summaries fare on applications that others wrote; `make skills` writes the table."""
