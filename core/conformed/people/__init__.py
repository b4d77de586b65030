"""People: who they are, which roles they hold, and the one pure function that says what each may do."""
