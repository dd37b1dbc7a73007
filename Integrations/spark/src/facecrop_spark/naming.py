"""Where inputs lie, and how their outputs are named: by the input's name alone, so that a task run twice, or twice at
once, writes the same files."""

import hashlib
import pathlib
import re

from facecrop.naming import NameFault, below, ending

__all__ = ["NameFault", "checked", "local_path", "output_name", "scheme"]


def scheme(name: str) -> str:
    """`s3a` of `s3a://bucket/a.jpg`; a path's is `file`."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", name)
    return found[1].lower() if found else "file"


def local_path(name: str) -> str:
    """The file that a path or a `file:` URI names, as Spark's `binaryFile` source writes it (nothing is escaped)."""
    if scheme(name) != "file":
        raise NameFault(f"facecrop cannot read from {scheme(name)}: (pass the content as a column)")
    path = re.sub("^file:", "", name, flags=re.IGNORECASE)
    return "/" + path.lstrip("/") if path.startswith("//") else path


def output_name(name: str, base: str | None, image_format: str | None) -> str:
    """The output's name below the output folder.

    With a base, the input's place below it, as `facecrop batch --base` has it. Without one, two hexadecimal digits for
    a folder, so that none has more than a 256th of all, then stem and the first 64 bits of the SHA-256 of the whole
    name, since files of different folders may have one name.
    """
    if base is not None:
        return below(local_path(name), local_path(base), image_format)
    path = pathlib.PurePosixPath(name)
    digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    # A file's name has 255 bytes, of which size and number of a crop need some.
    stem = re.sub(r"[^\w.-]", "_", path.stem, flags=re.ASCII)[:100].lstrip(".")
    return f"{digest[:2]}/{stem}-{digest[:16]}{ending(path.suffix, image_format)}"


def checked(name: str) -> str:
    """A name below the output folder that somebody else chose."""
    path = pathlib.PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or path.name in ("", ".") or "\0" in name:
        raise NameFault(f"the output name {name!r} is not below the output folder")
    return name
