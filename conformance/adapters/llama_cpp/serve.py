"""The wire child of llama.cpp's adapter: this process becomes the driver, told what the adapter declares."""

from __future__ import annotations

import json
import os
import sys

from conformance.adapters.llama_cpp.declared import told
from conformance.adapters.llama_cpp.place import home


def main() -> int:
    """Starts the driver in place of this process; 1 with a sentence on stderr where it can't be."""
    place = home()
    driver = str(place / "driver")
    try:
        os.execv(driver, [driver, json.dumps(told(str(place / "templates")))])
    except OSError as error:
        print(f"{driver}: {error.strerror}; python -m conformance.adapters.llama_cpp.build builds it", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
