"""``python -m recrawl`` is the ``recrawl`` command."""

import sys

from recrawl.cli.main import main

sys.exit(main())
