"""What the kernel does on a page: one prepared action, carried out by one command or by several."""
