"""What the living web knows of each crawler: which copies it has, and how it behaved."""
