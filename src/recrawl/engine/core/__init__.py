"""The compiled half of the engine: `pick.py` decides, `wake.py` wakes, `actions.py` is what callers do to pages."""
