"""Prints the Python blocks of a README as one module, so that a type checker can check them.

recipes.py README.md > recipes_of_readme.py
"""

import pathlib
import re
import sys

# Names that the text around the blocks defines.
PRELUDE = "upload: bytes = b''\n"


def main() -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", pathlib.Path(sys.argv[1]).read_text(), re.DOTALL | re.MULTILINE)
    print(PRELUDE + "\n".join(blocks))


if __name__ == "__main__":
    main()
