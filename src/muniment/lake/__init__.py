"""The only package that knows Delta: sessions, tables, one-commit changes, retry, locks, maintenance."""
