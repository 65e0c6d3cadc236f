"""Safe SQL expressions from configuration."""

from muniment.expressions.predicate import check_predicate, check_value

__all__ = ["check_predicate", "check_value"]
