"""Commands of a terminal, carried out in the browser that is served."""
