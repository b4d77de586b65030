"""What a person is shown of a decision: the screen, the report with its exhibits."""
