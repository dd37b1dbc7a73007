"""Finds inputs, and names outputs by the input's name and format, so that a task that runs twice, even concurrently,
writes the same files."""

import hashlib
import pathlib
import re

from facecrop.naming import NameFault, below, ending, first_bytes, suffix_by_content

__all__ = ["NameFault", "checked", "first_bytes", "local_path", "output_name", "scheme", "suffix_by_content"]


def scheme(name: str) -> str:
    """Returns the scheme, such as `s3a` for `s3a://bucket/a.jpg`, or `file` for a path."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", name)
    return found[1].lower() if found else "file"


def local_path(name: str) -> str:
    """Returns the file of a path or a `file:` URI, as Spark's `binaryFile` source writes it, without escapes."""
    if scheme(name) != "file":
        raise NameFault(f"facecrop cannot read from {scheme(name)}: (pass the content as a column)")
    path = re.sub("^file:", "", name, flags=re.IGNORECASE)
    return "/" + path.lstrip("/") if path.startswith("//") else path


def output_name(
    name: str, base: str | None, image_format: str | None, animation: object = None, suffix: str | None = None
) -> str:
    """Returns the output's name below the output folder. `suffix` is the extension of the input's content.

    With a base, this is the input's path below it, like `facecrop batch --base`. Otherwise it is one of 256 folders,
    then the stem and 64 bits of the whole name's SHA-256, since names may repeat in other folders.
    """
    if base is not None:
        return below(local_path(name), local_path(base), image_format, animation, suffix)
    path = pathlib.PurePosixPath(name)
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    # A file name has at most 255 bytes, and the size and the number of a crop need some.
    stem = re.sub(r"[^\w.-]", "_", path.stem, flags=re.ASCII)[:100].lstrip(".")
    return f"{digest[:2]}/{stem}-{digest[:16]}{ending(suffix or path.suffix, image_format, animation)}"


def checked(name: str) -> str:
    """Checks a name below the output folder that the caller chose."""
    path = pathlib.PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or path.name in ("", ".") or "\0" in name:
        raise NameFault(f"the output name {name!r} is not below the output folder")
    return name
