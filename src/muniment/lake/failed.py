"""The two ways in which a job that fails comes back to Python."""

from __future__ import annotations

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

FAILED: tuple[type[Exception], ...] = (PySparkException, Py4JError)
