"""The browser for other programs' agents, over the Model Context Protocol."""
