"""Muniment keeps the history of entities as evidence and belief."""

__version__ = "0.1.0"
