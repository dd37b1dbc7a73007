"""Prints the Python blocks of a README as one module, so that a type checker reads what users copy.

recipes.py README.md > recipes_of_readme.py
"""

import pathlib
import re
import sys

# What the text around the blocks gives.
PRELUDE = "upload: bytes = b''\n"


def main() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", pathlib.Path(sys.argv[1]).read_text(), re.DOTALL | re.MULTILINE)
    print(PRELUDE + "\n".join(blocks))


if __name__ == "__main__":
    main()
