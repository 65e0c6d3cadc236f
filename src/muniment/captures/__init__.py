"""Captures: one saved answer of an API, whole and proven, as one more way to arrive."""
