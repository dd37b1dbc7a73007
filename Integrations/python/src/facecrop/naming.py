"""How outputs are named: by the input's name alone, so that what is done twice writes the same files."""

import os
import pathlib

# What facecrop writes, by the names of files.
_WRITTEN = {
    ".jpg": "jpeg",
    ".jpeg": "jpeg",
    ".png": "png",
    ".webp": "webp",
}
_ENDINGS = {"jpeg": ".jpg", "png": ".png", "webp": ".webp"}


class NameFault(ValueError):
    """A record's name cannot be used. The message is a clause that stands by itself."""


def ending(suffix: str, image_format: str | None) -> str:
    """The output's extension, for an input with the extension `suffix`."""
    if image_format is not None:
        own = _WRITTEN.get(suffix.lower()) == image_format
        return suffix if own else _ENDINGS.get(image_format, f".{image_format}")
    return suffix if suffix.lower() in _WRITTEN else ".jpg"


def below(path: str, base: str, image_format: str | None) -> str:
    """The input's place below the folder `base`, as `facecrop batch --base` has it, with the output's extension.

    Raises:
        NameFault: The input is not below it.
    """
    root = pathlib.PurePosixPath(os.path.normpath(base))
    inside = pathlib.PurePosixPath(os.path.normpath(path))
    if not inside.is_relative_to(root) or inside == root:
        raise NameFault(f"the input is not below the base {base}")
    return str(inside.relative_to(root).with_suffix(ending(inside.suffix, image_format)))
