"""Safe SQL expressions from configuration."""

from muniment.expressions.predicate import check_predicate

__all__ = ["check_predicate"]
