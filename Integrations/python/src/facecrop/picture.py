"""The images and paths that callers pass, and the errors for other types."""

import os
from collections.abc import Sequence

# A file's path.
Path = str | os.PathLike[str]
# An image file as bytes, or its path.
Picture = bytes | bytearray | memoryview | str | os.PathLike[str]
_PICTURES = (bytes, bytearray, memoryview, str, os.PathLike)


def data(picture: object) -> bytes:
    """Returns the bytes of an image file.

    Raises:
        TypeError: It is neither a file's bytes nor a path, such as an array of pixels.
    """
    try:
        view = memoryview(picture)  # type: ignore[arg-type]
    except TypeError:
        remedy = "picture.getvalue()" if hasattr(picture, "getvalue") else "the file's bytes or its path"
        name = type(picture).__name__
        raise TypeError(f"the image must be a file's bytes or its path, not {name} (pass {remedy})") from None
    if view.ndim != 1 or view.itemsize != 1:
        raise TypeError("the image is an array of pixels, not a file (encode it first, for example as PNG)")
    return bytes(view)


def shown(picture: Picture, message: str) -> str:
    """Returns the message, after the image's path if it has one."""
    return f"{os.fspath(picture)}: {message}" if isinstance(picture, str | os.PathLike) else message


def is_one(pictures: object) -> bool:
    """Returns whether an argument is one image, also of a wrong type, and not several.

    A file object would be a list of its lines, and an array of pixels one of its rows.
    """
    is_array = getattr(getattr(pictures, "dtype", None), "kind", "O") not in "OUS"
    return isinstance(pictures, _PICTURES) or hasattr(pictures, "read") or is_array or not _is_iterable(pictures)


def check_paths(name: str, paths: object) -> None:
    """Raises a `TypeError` unless an argument is several paths. A single one would be a list of letters."""
    if isinstance(paths, _PICTURES):
        raise TypeError(f"{name} must be several paths, not a single one (pass [path])")
    if not _is_iterable(paths):
        raise TypeError(f"{name} must be several paths, not {type(paths).__name__} (pass a list)")


def input_path(path: object) -> str:
    """Returns an element of a list of paths as text.

    Raises:
        TypeError: It is no path.
    """
    remedy = "call crop with a file's bytes" if isinstance(path, bytes | bytearray | memoryview) else "pass paths"
    return text_path("each input", path, remedy=remedy)


def text_path(name: str, path: object, *, kinds: Sequence[str] = ("a path",), remedy: str = "") -> str:
    """Returns a path as text. `kinds` lists what a caller may pass.

    Raises:
        TypeError: It is no path, or one of bytes.
    """
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if isinstance(text, str):
        return text
    advice = f" ({remedy})" if remedy else ""
    raise TypeError(f"{name} must be {' or '.join(kinds)}, not {type(path).__name__}{advice}")


def command_path(command: object) -> str | None:
    """Returns the argument `facecrop` as text. A path with a folder is absolute, since the current folder may change.

    Raises:
        TypeError: It is no path.
    """
    if command is None:
        return None
    text = text_path("facecrop", command, kinds=("the command's path",))
    return os.path.abspath(text) if os.sep in text else text


def _is_iterable(value: object) -> bool:
    try:
        iter(value)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True
