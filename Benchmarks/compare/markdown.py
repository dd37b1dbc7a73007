"""Formats paragraphs of the pages."""

import re
import textwrap

# The longest line that `make lint-english` accepts.
COLUMNS = 100


def prose(*sentences: str) -> str:
    """Joins sentences to a paragraph of short lines. Code stays on one line."""
    # A character that no page has stands for the spaces in code.
    text = re.sub(r"`[^`]+`", lambda code: code[0].replace(" ", "\0"), " ".join(sentences))
    return textwrap.fill(text, COLUMNS, break_long_words=False, break_on_hyphens=False).replace("\0", " ")
