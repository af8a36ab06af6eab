"""One module a figure: TITLE, PAPER (what the paper shows and claims) and run(settings)."""
