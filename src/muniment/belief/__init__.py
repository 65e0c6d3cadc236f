"""What is held true, by declared rules, among what the sources said (R20–R23)."""
