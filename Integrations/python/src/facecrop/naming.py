"""Names outputs by the input's name and format, so that a second run writes the same files."""

import contextlib
import os
import pathlib

# The formats that facecrop writes, by file extension.
_WRITTEN = {".jpg": "jpeg", ".jpeg": "jpeg", ".png": "png", ".webp": "webp"}
_ENDINGS = {"jpeg": ".jpg", "png": ".png", "webp": ".webp"}
# The usual extensions of images that facecrop reads.
READ = (
    *("jpg", "jpeg", "jpe", "jfif", "png", "webp", "heic", "heif", "hif", "avif", "jxl", "gif", "tif", "tiff"),
    *("dng", "cr2", "cr3", "nef", "nrw", "arw", "raf", "orf", "rw2", "pef", "srw"),
)
# The extensions of inputs by their first bytes; a question mark stands for any byte.
_BEGINNINGS = {
    b"\xff\xd8\xff": ".jpg",
    b"\x89PNG": ".png",
    b"RIFF????WEBP": ".webp",
    b"GIF8": ".gif",
    b"????ftyp": ".heic",
    b"II*\0": ".tiff",
    b"MM\0*": ".tiff",
    b"\xff\x0a": ".jxl",
    b"\0\0\0\x0cJXL ": ".jxl",
}


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


def first_bytes(path: str) -> bytes:
    """Returns as many bytes of a file as `suffix_by_content` needs, or none if it is no file that can be read."""
    with contextlib.suppress(OSError):
        # Nobody may write to a pipe yet.
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(12)
    return b""


def suffix_by_content(name: str, head: bytes) -> str:
    """Returns the extension of an input, or that of its first bytes, if these have another format."""
    suffix = pathlib.PurePosixPath(name).suffix
    for beginning, other in _BEGINNINGS.items():
        if len(head) >= len(beginning) and all(b in (a, ord("?")) for a, b in zip(head, beginning, strict=False)):
            return suffix if _WRITTEN.get(suffix.lower()) == _WRITTEN.get(other) else other
    return suffix


def below(path: str, base: str, image_format: str | None, animation: object = None, suffix: str | None = None) -> str:
    """Returns the input's path below the folder `base`, like `facecrop batch --base`, with the output's extension.

    Args:
        path: The path of the input.
        base: The folder.
        image_format: The format of the output; without one, that of the input.
        animation: The policy for animations.
        suffix: The extension of the input's content; by default, that of its name.

    Raises:
        NameFault: The input is not below the folder.
    """
    root = pathlib.PurePosixPath(os.path.normpath(base))
    inside = pathlib.PurePosixPath(os.path.normpath(path))
    if not inside.is_relative_to(root) or inside == root:
        raise NameFault(f"the input is not below the base {base}")
    return str(inside.relative_to(root).with_suffix(ending(suffix or inside.suffix, image_format, animation)))
