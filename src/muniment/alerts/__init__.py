"""Telling people that something is wrong."""
