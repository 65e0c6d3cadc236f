"""What Muniment costs, measured against what people use today."""
