"""Must never be imported: another distribution claims the name of its entry point."""

raise AssertionError("imported before names were compared")
