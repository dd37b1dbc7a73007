"""Names outputs by the input's name alone, so that a second run writes the same files."""

import os
import pathlib

# The formats that facecrop writes, by file extension.
_WRITTEN = {
    ".jpg": "jpeg",
    ".jpeg": "jpeg",
    ".png": "png",
    ".webp": "webp",
}
_ENDINGS = {"jpeg": ".jpg", "png": ".png", "webp": ".webp"}


class NameFault(ValueError):
    """The name of a record is invalid. The message is a complete clause."""


def ending(suffix: str, image_format: str | None, animation: object = None) -> str:
    """Returns the output's extension for an input with the extension `suffix`, under a policy for animations."""
    if image_format is not None:
        image_format = "jpeg" if image_format == "jpg" else image_format
        own = _WRITTEN.get(suffix.lower()) == image_format
        return suffix if own else _ENDINGS.get(image_format, f".{image_format}")
    is_kept = animation == "keep" and suffix.lower() == ".gif"
    return suffix if is_kept or suffix.lower() in _WRITTEN else ".jpg"


def below(path: str, base: str, image_format: str | None, animation: object = None) -> str:
    """Returns the input's path below the folder `base`, like `facecrop batch --base`, with the output's extension.

    Raises:
        NameFault: The input is not below the folder.
    """
    root = pathlib.PurePosixPath(os.path.normpath(base))
    inside = pathlib.PurePosixPath(os.path.normpath(path))
    if not inside.is_relative_to(root) or inside == root:
        raise NameFault(f"the input is not below the base {base}")
    return str(inside.relative_to(root).with_suffix(ending(inside.suffix, image_format, animation)))
