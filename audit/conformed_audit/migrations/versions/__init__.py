"""The revisions. One that was released is never edited: logs that were made by it exist."""
