"""`python -m skillbook.cli`."""

from skillbook.cli import main

raise SystemExit(main())
