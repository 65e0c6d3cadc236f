"""Dimensions: the versions of a member follow from what was said of it, each column by its own type."""
