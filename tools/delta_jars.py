"""Fetch Delta's jars into the cache, once, through Spark's own package resolution; afterwards nothing needs the network."""

from __future__ import annotations

from muniment.lake import jars


def main() -> None:
    """Start a session only where the cache lacks something."""
    if jars.cached(jars.cache()) is None:
        from muniment.lake import session

        session.start().stop()


if __name__ == "__main__":
    main()
