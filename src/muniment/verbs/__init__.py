"""What people do with a project, family by family."""
