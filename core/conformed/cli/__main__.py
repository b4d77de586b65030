"""``python -m conformed.cli`` is the same as ``conformed``."""

from __future__ import annotations

from conformed.cli import main

if __name__ == "__main__":
    main()
