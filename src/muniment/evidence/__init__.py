"""Evidence: from assertions to a timeline, as pure DataFrame → DataFrame functions."""
