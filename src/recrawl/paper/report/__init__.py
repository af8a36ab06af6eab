"""What the figures become: tables, plots, verdicts and the report."""
