"""Small wrong changes to the fold, each of which a test must notice: `python -m tests.mutation [NAME…]`."""
