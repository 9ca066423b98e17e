"""What other sides than a notebook may ask of a kernel."""
