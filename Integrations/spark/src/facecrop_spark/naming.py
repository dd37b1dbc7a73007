"""Where inputs lie, and how their outputs are named: by the input's name alone, so that a task run twice, or twice at
once, writes the same files."""

import hashlib
import os
import pathlib
import re

# What facecrop writes, by the names of files.
_WRITTEN = {".jpg": "jpeg", ".jpeg": "jpeg", ".png": "png", ".webp": "webp"}
_ENDINGS = {"jpeg": ".jpg", "png": ".png", "webp": ".webp"}


class NameFault(ValueError):
    """A record's name cannot be used; the message continues a sentence that begins with the record."""


def scheme(name: str) -> str:
    """`s3a` of `s3a://bucket/a.jpg`; a path's is `file`."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", name)
    return found[1].lower() if found else "file"


def local_path(name: str) -> str:
    """The file that a path or a `file:` URI names, as Spark's `binaryFile` source writes it (nothing is escaped)."""
    if scheme(name) != "file":
        raise NameFault(f"is at {scheme(name)}:, where facecrop cannot read; give its content as a column")
    path = re.sub("^file:", "", name, flags=re.IGNORECASE)
    return "/" + path.lstrip("/") if path.startswith("//") else path


def output_name(name: str, base: str | None, image_format: str | None) -> str:
    """The output's name below the output folder.

    With a base, the input's place below it, as `facecrop batch --base` has it. Without one, two hexadecimal digits for
    a folder, so that none has more than a 256th of all, then stem and the first 64 bits of the SHA-256 of the whole
    name, since files of different folders may have one name.
    """
    path = pathlib.PurePosixPath(local_path(name) if base is not None else name)
    suffix = _ending(path.suffix, image_format)
    if base is not None:
        root = pathlib.PurePosixPath(os.path.normpath(local_path(base)))
        inside = pathlib.PurePosixPath(os.path.normpath(path))
        if not inside.is_relative_to(root) or inside == root:
            raise NameFault(f"is not below {base}, by which outputs are named")
        return str(inside.relative_to(root).with_suffix(suffix))
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    # A file's name has 255 bytes, of which size and number of a crop need some.
    stem = re.sub(r"[^\w.-]", "_", path.stem, flags=re.ASCII)[:100].lstrip(".")
    return f"{digest[:2]}/{stem}-{digest[:16]}{suffix}"


def checked(name: str) -> str:
    """A name below the output folder that somebody else chose."""
    path = pathlib.PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or path.name in ("", ".") or "\0" in name:
        raise NameFault(f"has {name!r} for its output's name, which is none below the output folder")
    return name


def _ending(suffix: str, image_format: str | None) -> str:
    if image_format is not None:
        own = _WRITTEN.get(suffix.lower()) == image_format
        return suffix if own else _ENDINGS.get(image_format, f".{image_format}")
    return suffix if suffix.lower() in _WRITTEN else ".jpg"
