"""The ``recrawl`` command: one module a subcommand, heavy imports only once a subcommand runs."""
