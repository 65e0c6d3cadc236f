"""The figures of the table, each a small function."""
