"""Loads: full, merge and historic; from slices to a table, without a log."""
