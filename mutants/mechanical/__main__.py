"""The command ``python -m mutants.mechanical``."""

from __future__ import annotations

import sys

from mutants.mechanical.needs import missing

if __name__ == "__main__":
    if trouble := missing():
        print(trouble, file=sys.stderr)
        sys.exit(2)
    # What it imports needs mutmut, and that it is there has only now been seen.
    from mutants.mechanical.command import main

    sys.exit(main())
