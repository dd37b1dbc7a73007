"""Parts of the scripts that generate pages: wrapping, and comparing a page with its file."""

import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 100


def wrap(text: str, indent: str = "") -> str:
    """Wraps a paragraph, and keeps code spans whole. `indent` goes before all lines but the first."""
    kept = re.sub(r"`[^`]*`", lambda span: span[0].replace(" ", "\0"), " ".join(text.split()))
    lines = textwrap.fill(kept, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return lines.replace("\0", " ")


def finish(text: str, name: str, target: str) -> None:
    """Writes a page, or with --check fails if its file differs. `target` is the one of make that writes it."""
    page = ROOT / name
    if "--check" not in sys.argv[1:]:
        page.write_text(text)
    elif not page.exists() or page.read_text() != text:
        sys.exit(f"{name} is out of date (run make {target})")
