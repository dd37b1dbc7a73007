"""What `make test-deb` found out about the Debian package, if it has been run."""

import json
import pathlib

FACTS = pathlib.Path(".build/deb/facts.json")


def facts() -> dict | None:
    """Sizes in bytes; start-up of the package and of /bin/true in seconds."""
    return json.loads(FACTS.read_text()) if FACTS.exists() else None
