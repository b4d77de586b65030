"""Programs judged by tests in a sandbox that is thrown away. What judges stays outside; expected results never go in."""
