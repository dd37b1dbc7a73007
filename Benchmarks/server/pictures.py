"""Provides the images that a server is asked for."""

import itertools
import pathlib
import sys


def copies(source: pathlib.Path, folder: pathlib.Path, count: int, endings: set[str]) -> list[str]:
    """Makes `count` different files: images with a number appended."""
    pictures = [path for path in sorted(source.iterdir()) if path.suffix.lower() in endings]
    if not pictures:
        sys.exit(f"{source} has no files that end in {', '.join(sorted(endings))}")
    names = []
    for number, picture in zip(range(count), itertools.cycle(pictures), strict=False):
        name = f"{number % 100:02}/{number:05}{picture.suffix}"
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture.read_bytes() + b"%d" % number)
        names.append(name)
    return names
