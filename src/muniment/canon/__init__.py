"""Canonical encoding, hashes and null-safe comparison."""
