"""``python -m tamis`` is the ``tamis`` command."""

import sys

from tamis.cli import main

if __name__ == "__main__":
    sys.exit(main())
