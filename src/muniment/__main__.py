"""`python -m muniment` is the command `muniment`."""

import sys

from muniment.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
