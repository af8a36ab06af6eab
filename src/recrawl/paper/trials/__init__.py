"""What the figures run: instances by seed, contenders in the same worlds, trials of estimators."""
