"""One shared tab as the kernel knows it: its snapshots, its dialogs, what AI may see of it."""
