"""What people use today for the same work, and the physical floors."""
