"""Policies on real histories of change: how fresh each keeps the copies, and what others need for that."""
